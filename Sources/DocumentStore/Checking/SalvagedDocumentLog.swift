import Foundation
package import GRDB
package import Replication

/// The readable rows of a damaged document log, with the bytes of their chunks.
///
/// Only the log's own chunk deletions refer to its row numbers. Therefore, deleted chunks are
/// omitted and the remaining rows are renumbered.
package struct SalvagedDocumentLog: Salvage {
    var rows: [Int64: DocumentLogRow] = [:]
    var contents: [Int64: [UInt8]] = [:]
    private(set) var deleted: Set<Int64> = []

    package init() {}

    package let creationSQL = DocumentLog().creationSQL
    package var count: Int { rows.count + contents.count }

    /// Adds a row of the table `log` or `content`, identified by its columns. Ignores other rows.
    package mutating func add(_ number: Int64, _ values: [TableLeaves.Value]) {
        guard number > 0, case .null? = values.first else { return }
        if values.count == 2, case .blob(let bytes) = values[1] {
            contents[number] = bytes
        } else if values.count == 8, let timestamp = values[1].integer,
            let operation = values[2].integer.flatMap(DocumentLog.Operation.init(rawValue:))
        {
            var row = DocumentLogRow(
                id: number, timestamp: timestamp, operation: operation.rawValue,
                workspace: Self.uuid(values[3]), document: Self.uuid(values[4]),
                chunk: Self.uuid(values[5]))
            if case .text(let text) = values[7] {
                if operation == .name, String(validating: text, as: UTF8.self) == nil { return }
                row.text = String(decoding: text, as: UTF8.self)
            }
            switch operation {
            case .snapshot, .delta:
                guard row.workspace != nil, row.document != nil, row.chunk != nil else { return }
            case .name: guard row.workspace != nil, row.text != nil else { return }
            case .workspaceDeletion: guard row.workspace != nil else { return }
            case .chunkDeletion:
                deleted.formUnion(row.deletedRows)
                return
            }
            rows[number] = row
        }
    }

    private static func uuid(_ value: TableLeaves.Value) -> UUID? {
        guard case .blob(let bytes) = value else { return nil }
        return UUID(bytes: bytes)
    }

    /// The chunks without a row in the log.
    var strays: [Int64] {
        contents.keys.filter { rows[$0] == nil && !deleted.contains($0) }.sorted()
    }

    /// Writes the rows to a new log. A chunk without a row gets one if its document can be found.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rows, and O(*n*) in the bytes of their chunks.
    ///   Placing chunks without rows takes O(*n* *m*) in the number of such chunks and of the
    ///   documents' changes.
    package func write(to db: Database, as device: DeviceID) throws -> String {
        try withStraysPlaced().writeRows(to: db, as: device)
    }

    private func writeRows(to db: Database, as device: DeviceID) throws -> String {
        try DocumentLog().create(in: db, as: device)
        var (id, chunkCount, lostCount): (Int64, Int, Int) = (0, 0, 0)
        for (old, var row) in rows.sorted(by: { $0.key < $1.key }) {
            if row.isChunk {
                if deleted.contains(old) { continue }
                guard let content = contents[old] else {
                    lostCount += 1
                    continue
                }
                (row.size, row.data) = (Int64(content.count), Data(content))
                chunkCount += 1
            }
            id += 1
            row.id = id
            try row.insert(into: db)
        }
        guard id > 0 else {
            throw ReplicationError(.unreadable, "none of its rows can be read completely")
        }
        return summary(chunkCount, lost: lostCount)
    }

    private func summary(_ chunkCount: Int, lost: Int) -> String {
        let strayCount = strays.count
        var text = "with \(chunkCount.grouped) chunks"
        if lost > 0 { text += ", without \(lost) whose bytes are lost or were deleted" }
        if strayCount > 0 {
            text += ", and without the bytes of \(strayCount) whose document is unknown"
        }
        return text
    }
}
