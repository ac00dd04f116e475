import Foundation
import GRDB
import Replication

extension DocumentLog {
    /// The rows to append to the log.
    struct Draft {
        var writes: [BackingWrite]
        var timestamp: Timestamp
    }

    /// Appends rows, and deletes the bytes of deleted chunks.
    ///
    /// - Returns: The rows in the form that a reader gets.
    func append(
        _ draft: Draft, as device: DeviceID, behind head: inout LogHead<NoNotes>,
        _ others: inout [BackingRead.Entry], to db: Database
    ) throws -> [BackingRead.Entry] {
        // Timestamps never decrease (data rule 7), even if another process has written since.
        let newest = try head.newest(near: draft.timestamp, in: db)
        let time = max(draft.timestamp, min(newest.successor, .latest))
        let stamp = BackingRead.Stamp(timestamp: time, device: device)
        var entries: [BackingRead.Entry] = []
        for write in draft.writes {
            let id = try head.append(at: time.microseconds)
            func newRow(_ operation: Operation) -> DocumentLogRow {
                DocumentLogRow(
                    id: id, timestamp: time.microseconds, operation: operation.rawValue)
            }
            switch write {
            case .workspace(let workspace, let name):
                var row = newRow(.name)
                (row.workspace, row.text) = (workspace, name)
                try row.insert(into: db)
                entries.append(.workspace(workspace, name: name, stamp))
            case .workspaceDeleted(let workspace):
                var row = newRow(.workspaceDeletion)
                row.workspace = workspace
                try row.insert(into: db)
                entries.append(.workspaceDeleted(workspace, stamp))
            case .chunk(let workspace, let document, let isSnapshot, let data, _, let actors):
                let uuid = UUID()
                var row = newRow(isSnapshot ? .snapshot : .delta)
                (row.workspace, row.document, row.chunk) = (workspace, document, uuid)
                (row.size, row.text, row.data) = (Int64(data.count), actors.text, data)
                try row.insert(into: db)
                let chunk = ChunkRecord(
                    id: uuid.uuidString, document: document, workspace: workspace,
                    isSnapshot: isSnapshot, byteCount: data.count, device: device,
                    timestamp: time, actors: actors, key: .row(device, id))
                try Self.check(chunk, data, db)
                entries.append(.chunk(chunk))
            case .chunksDeleted(let chunks, let document):
                let rows = try Self.deleteContent(of: chunks, in: db)
                var row = newRow(.chunkDeletion)
                (row.document, row.size) = (document, Int64(rows.count))
                row.text = rows.map(String.init).joined(separator: ",")
                try row.insert(into: db)
                for row in rows {
                    entries.append(.chunkDeleted(.row(device, row), of: document))
                }
            }
        }
        return entries
    }

    /// Reads a new chunk as a reader would. In a damaged file, a row may be stored where readers
    /// don't find it.
    private static func check(_ chunk: ChunkRecord, _ data: Data, _ db: Database) throws {
        guard case .row(_, let row) = chunk.key, let id = UUID(uuidString: chunk.id) else { return }
        let exists = try? Bool.fetchOne(
            db,
            sql: """
                SELECT data = ? FROM content JOIN log USING (id)
                WHERE id = ? AND chunk = ? AND length(data) = ?
                """, arguments: [data, row, id.bytes, chunk.byteCount])
        guard exists == true else {
            throw DocumentStoreError(
                .ownLogUnreadable,
                "this device's file is damaged: written data can't be read back, so "
                    + "nothing was saved")
        }
    }

    /// Deletes the bytes of chunks.
    ///
    /// - Returns: The rows whose bytes existed. Another process may already have deleted the bytes.
    ///   In a file that replaced the log, a row may belong to another chunk.
    private static func deleteContent(
        of chunks: [ChunkRecord], in db: Database
    ) throws -> [Int64] {
        let delete = try db.makeStatement(
            sql: """
                DELETE FROM content WHERE id = ?
                    AND EXISTS (SELECT 1 FROM log WHERE log.id = content.id AND chunk = ?)
                """)
        return try chunks.compactMap { chunk in
            guard case .row(_, let row) = chunk.key, let id = UUID(uuidString: chunk.id) else {
                return nil
            }
            try delete.execute(arguments: [row, id.bytes])
            return db.changesCount > 0 ? row : nil
        }.sorted()
    }
}
