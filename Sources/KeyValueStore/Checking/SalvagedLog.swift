import Foundation
package import GRDB
package import Replication

/// The rows that can still be read of a damaged log of this library's own form.
package struct SalvagedLog {
    private var rows: [Int64: Row] = [:]
    private var writers: [Int64: DeviceID] = [:]

    private struct Row {
        let timestamp: Int64
        let key: [UInt8]
        let value: [UInt8]?
        let parentTimestamp: Int64?
        let parents: [UInt8]?
    }

    /// How many rows there are.
    package var count: Int { rows.count }
    /// The greatest number of a row: so many rows there were, at least.
    package var lastID: Int64 { rows.keys.max() ?? 0 }

    /// Reads the log at `path` leaf by leaf, whatever of the rest of the file is damaged.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read.
    /// - Complexity: O(*n*) in the size of the file, in time and in memory.
    package init(_ path: String) throws {
        for size in try TableLeaves.pageSizes(of: path) {
            var found = SalvagedLog()
            try TableLeaves.forEachRow(in: path, pageSize: size) { found.add($0, $1) }
            if found.count > count { self = found }
        }
    }

    private init() {}

    /// Rows of the tables `log` and `writer` are told from others by their columns.
    private mutating func add(_ number: Int64, _ values: [TableLeaves.Value]) {
        guard number > 0, case .null? = values.first else { return }
        if values.count == 2, case .text(let name) = values[1] {
            if let name = String(validating: name, as: UTF8.self) {
                writers[number] = try? DeviceID(name)
            }
            return
        }
        guard values.count == 6, case .integer(let timestamp) = values[1],
            case .text(let key) = values[2], let value = values[3].optionalBlob,
            let parent = values[4].optionalInteger, let parents = values[5].optionalBlob,
            Timestamp.isRecordable(timestamp), String(validating: key, as: UTF8.self) != nil
        else { return }
        rows[number] = Row(
            timestamp: timestamp, key: key, value: value, parentTimestamp: parent,
            parents: parents)
    }

    /// Writes the rows, numbered anew without gaps, as another log of `device` into an empty
    /// database: readers read it from its beginning.
    ///
    /// - Throws: `ReplicationError`, `DatabaseError`.
    /// - Complexity: O(*n* log *n*) in the number of rows.
    package func write(to db: Database, as device: DeviceID) throws {
        try TidelineLog.create(db, device)
        let salvaged = rows.sorted { $0.key < $1.key }.map { id, row in
            let named = row.parents.map(references)
            return LogRow(
                device: device, id: id, timestamp: Timestamp(microseconds: row.timestamp),
                key: String(decoding: row.key, as: UTF8.self), bytes: row.value.map { Data($0) },
                parentTimestamp: row.parentTimestamp.map(Timestamp.init(microseconds:)),
                parents: named?.parents, takesBack: named?.takenBack ?? [])
        }
        try TidelineLog.insert(salvaged, into: db)
    }

    /// What a list names, as far as it is known which devices its numbers stand for.
    private func references(
        _ list: [UInt8]
    ) -> (parents: [LogRow.Reference], takenBack: [LogRow.Reference]) {
        var (parents, takenBack): ([LogRow.Reference], [LogRow.Reference]) = ([], [])
        func reference(_ cause: CauseList.Cause) -> [LogRow.Reference] {
            writers[cause.writer].map {
                [
                    LogRow.Reference(
                        device: $0, timestamp: Timestamp(microseconds: cause.timestamp))
                ]
            } ?? []
        }
        var leavesOut = false
        _ = list.withUnsafeBufferPointer { list in
            CauseList.forEach(
                list, leavesOut: &leavesOut, { parents += reference($0) },
                takenBack: { takenBack += reference($0) })
        }
        return (parents, takenBack)
    }
}

extension TableLeaves.Value {
    /// The bytes of a blob; inside, `nil` for a value that is null, and outside for any other.
    fileprivate var optionalBlob: [UInt8]?? {
        switch self {
        case .null: .some(nil)
        case .blob(let bytes): .some(bytes)
        default: nil
        }
    }

    /// An integer; inside, `nil` for a value that is null, and outside for any other.
    fileprivate var optionalInteger: Int64?? {
        switch self {
        case .null: .some(nil)
        case .integer(let number): .some(number)
        default: nil
        }
    }
}
