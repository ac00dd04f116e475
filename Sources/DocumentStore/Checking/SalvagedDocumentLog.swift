package import GRDB
package import Replication

/// The readable rows of a damaged document log, with the bytes of their chunks.
///
/// Only the log's own chunk deletions refer to its row numbers. Therefore, deleted chunks are
/// omitted and the remaining rows are renumbered.
package struct SalvagedDocumentLog: Salvage {
    var rows: [Int64: Row] = [:]
    var contents: [Int64: [UInt8]] = [:]
    private(set) var deleted: Set<Int64> = []

    struct Row {
        let timestamp: Int64
        let operation: DocumentLog.Operation
        let workspace: [UInt8]
        var document: [UInt8]?
        var chunk: [UInt8]?
        /// A name, or the actors of a chunk.
        var text: [UInt8]?

        var isChunk: Bool { chunk != nil }
    }

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
            if operation == .chunkDeletion {
                guard case .text(let list) = values[7] else { return }
                deleted.formUnion(
                    String(decoding: list, as: UTF8.self).split(separator: ",").compactMap {
                        Int64($0)
                    })
            } else if let workspace = Self.uuid(values[3]) {
                var row = Row(timestamp: timestamp, operation: operation, workspace: workspace)
                switch operation {
                case .snapshot, .delta:
                    guard let document = Self.uuid(values[4]), let chunk = Self.uuid(values[5])
                    else { return }
                    (row.document, row.chunk) = (document, chunk)
                    if case .text(let actors) = values[7] { row.text = actors }
                case .name:
                    guard case .text(let name) = values[7],
                        String(validating: name, as: UTF8.self) != nil
                    else { return }
                    row.text = name
                case .workspaceDeletion, .chunkDeletion: break
                }
                rows[number] = row
            }
        }
    }

    private static func uuid(_ value: TableLeaves.Value) -> [UInt8]? {
        guard case .blob(let bytes) = value, bytes.count == 16 else { return nil }
        return bytes
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
        let insert = try Stepper(
            db,
            """
            INSERT INTO log (id, timestamp, operation, workspace, document, chunk, size, value)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let insertContent = try Stepper(db, "INSERT INTO content (id, data) VALUES (?, ?)")
        var (id, chunkCount, lostCount): (Int64, Int, Int) = (0, 0, 0)
        for (old, row) in rows.sorted(by: { $0.key < $1.key }) {
            let content = contents[old]
            if row.isChunk {
                if deleted.contains(old) { continue }
                if content == nil {
                    lostCount += 1
                    continue
                }
                chunkCount += 1
            }
            id += 1
            insert.bind(1, id)
            insert.bind(2, row.timestamp)
            insert.bind(3, row.operation.rawValue)
            insert.bind(4, copyingBlob: row.workspace)
            bind(row.document, 5, insert)
            bind(row.chunk, 6, insert)
            insert.bind(7, row.isChunk ? content.map { Int64($0.count) } : nil)
            if let text = row.text { insert.bind(8, copying: text) } else { insert.bind(8, nil) }
            try insert.run()
            guard row.isChunk, let content else { continue }
            insertContent.bind(1, id)
            insertContent.bind(2, copyingBlob: content)
            try insertContent.run()
        }
        guard id > 0 else {
            throw ReplicationError(.unreadable, "none of its rows can be read completely")
        }
        return summary(chunkCount, lost: lostCount)
    }

    private func bind(_ bytes: [UInt8]?, _ column: CInt, _ insert: Stepper) {
        if let bytes { insert.bind(column, copyingBlob: bytes) } else { insert.bind(column, nil) }
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
