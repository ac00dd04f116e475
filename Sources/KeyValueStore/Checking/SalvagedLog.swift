import Foundation
package import GRDB
package import Replication

/// The readable rows of a damaged log in this library's own format.
package struct SalvagedLog: Salvage {
    private var rows: [Int64: Row] = [:]
    private var writers: [Int64: DeviceID] = [:]

    private struct Row {
        let timestamp: Int64
        let key: [UInt8]
        let value: [UInt8]?
        let parentTimestamp: Int64?
        let parents: [UInt8]?
    }

    package init() {}

    /// Returns whether the log at `path` is in PARStore 1's format, according to the readable part
    /// of its schema. Rows of such logs aren't salvaged.
    ///
    /// - Complexity: O(*n*) in the size of the file.
    package static func isParstore(_ path: String) -> Bool {
        var isFound = false
        for size in (try? TableLeaves.pageSizes(of: path)) ?? [] where !isFound {
            _ = try? TableLeaves.forEachRow(in: path, pageSize: size) { _, values in
                guard values.count == 5, case .text(let kind) = values[0],
                    case .text(let name) = values[1]
                else { return }
                if kind.elementsEqual("table".utf8),
                    name.elementsEqual(LogForm.parstore1.table.utf8)
                {
                    isFound = true
                }
            }
        }
        return isFound
    }

    package var count: Int { rows.count }
    /// The greatest row number, which is a lower bound for the original number of rows.
    private var lastID: Int64 { rows.keys.max() ?? 0 }

    /// Adds a row of the table `log` or `writer`. The row's columns show which table it is from.
    package mutating func add(_ number: Int64, _ values: [TableLeaves.Value]) {
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

    /// Writes the rows with new numbers, without gaps.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rows.
    package func write(to db: Database, as device: DeviceID) throws -> String {
        try TidelineLog.create(db, device)
        let salvaged = rows.sorted { $0.key < $1.key }.map { id, row in
            let named = row.parents.map { list in
                list.withUnsafeBufferPointer { CauseList.references($0, writers) }
            }
            return LogRow(
                device: device, id: id, timestamp: Timestamp(microseconds: row.timestamp),
                key: String(decoding: row.key, as: UTF8.self), bytes: row.value.map { Data($0) },
                parentTimestamp: row.parentTimestamp.map(Timestamp.init(microseconds:)),
                parents: named?.parents, reverts: named?.reverted ?? [])
        }
        try TidelineLog.insert(salvaged, into: db)
        return "with \(count) \(count == 1 ? "row" : "rows")"
            + (lastID > Int64(count) ? " of at least \(lastID)" : "")
    }
}
