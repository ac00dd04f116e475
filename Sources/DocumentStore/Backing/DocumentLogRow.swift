import Foundation
import GRDB
import Replication

/// A row of a log of documents, and the chunk that it describes.
struct DocumentLogRow: Equatable {
    var id: Int64
    let timestamp: Int64
    let operation: Int64
    var workspace: UUID?
    var document: UUID?
    var chunk: UUID?
    var size: Int64?
    var text: String?
    var data: Data?

    /// Returns the rows of a log without their chunks.
    ///
    /// - Throws: `ReplicationError`, also `.incomplete` if a row is missing or invalid.
    static func rows(inLogAt path: String) throws -> [DocumentLogRow] {
        try ForeignDatabase.value(from: path) { db in
            _ = try DocumentLog().identity(in: db)
            return try db.limitingLength(to: 1 << 20) {
                let statement = try Stepper(
                    db,
                    """
                    SELECT id, timestamp, operation, workspace, document, chunk, size, value
                    FROM log ORDER BY id
                    """)
                var rows: [DocumentLogRow] = []
                while try statement.step() {
                    let id = Int64(rows.count) + 1
                    guard let row = DocumentLogRow(statement), row.id == id else {
                        throw ReplicationError(
                            .incomplete, at: path, "row \(id) is missing or invalid")
                    }
                    rows.append(row)
                }
                return rows
            }
        }
    }

    var isName: Bool { operation == DocumentLog.Operation.name.rawValue }
    var isChunk: Bool {
        isSnapshot || operation == DocumentLog.Operation.delta.rawValue
    }
    var isSnapshot: Bool { operation == DocumentLog.Operation.snapshot.rawValue }
    var isDeletion: Bool { operation == DocumentLog.Operation.chunkDeletion.rawValue }

    /// The rows of the chunks that the row deletes.
    var deletedRows: [Int64] {
        isDeletion ? (text ?? "").split(separator: ",").compactMap { Int64($0) } : []
    }

    /// Returns the row with a new number. If the row is a deletion, the chunks that it lists also
    /// get their new numbers.
    func numbered(_ id: Int64, _ numbers: [Int64: Int64]) -> DocumentLogRow {
        var row = self
        row.id = id
        if isDeletion {
            row.text = deletedRows.compactMap { numbers[$0] }.map(String.init)
                .joined(separator: ",")
        }
        return row
    }

    /// Appends the row and its chunk to a log.
    func insert(into db: Database) throws {
        let insert = try db.cachedStatement(
            sql: """
                INSERT INTO log (id, timestamp, operation, workspace, document, chunk, size, value)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try insert.execute(
            arguments: [
                id, timestamp, operation, workspace?.bytes, document?.bytes, chunk?.bytes, size,
                text,
            ])
        guard let data else { return }
        try db.execute(sql: "INSERT INTO content (id, data) VALUES (?, ?)", arguments: [id, data])
    }
}

extension Stepper {
    /// Returns the UUID in a column of the current row.
    func uuid(_ column: CInt) -> UUID? { blob(column).flatMap { UUID(bytes: $0) } }
}

extension DocumentLogRow {
    private init?(_ row: Stepper) {
        guard let id = row.integer(0), let timestamp = row.integer(1),
            let operation = row.integer(2)
        else { return nil }
        self.init(
            id: id, timestamp: timestamp, operation: operation, workspace: row.uuid(3),
            document: row.uuid(4), chunk: row.uuid(5), size: row.integer(6),
            text: row.text(7).map { String(decoding: $0, as: UTF8.self) })
    }
}

extension [DocumentLogRow] {
    /// Reads the chunks that the rows describe. Deleted chunks have no bytes.
    mutating func readChunks(ofLogAt path: String) throws {
        guard contains(where: \.isChunk) else { return }
        let found = try ForeignDatabase.value(from: path) { db in
            let statement = try db.makeStatement(
                sql: "SELECT data FROM content WHERE id = ? AND typeof(data) = 'blob'")
            return try filter(\.isChunk).reduce(into: [Int64: Data]()) { found, row in
                found[row.id] = try Data.fetchOne(statement, arguments: [row.id])
            }
        }
        for index in indices { self[index].data = found[self[index].id] }
    }
}
