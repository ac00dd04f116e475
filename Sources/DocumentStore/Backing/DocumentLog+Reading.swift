import Foundation
import GRDB
import Replication

extension DocumentLog {
    /// Returns the rows after the known rows, except the rows of deleted chunks.
    ///
    /// - Complexity: O(*n*) in the number of new rows. When a log is read from its start, rows of
    ///   deleted chunks are skipped without reading them.
    func rows(
        _ db: Database, of device: DeviceID, behind progress: inout LogProgress,
        _ head: inout LogHead<NoNotes>
    ) throws -> [BackingRead.Entry] {
        let start = progress.start.lastID
        try progress.acceptAll(in: db)
        let range = (start + 1)...max(start + 1, progress.cursor.lastID)
        guard progress.cursor.lastID > start else { return [] }
        // If chunk bytes are missing without a deletion, all rows are read so that the lost chunks
        // are listed.
        let isSound = try start == 0 && Self.isComplete(db)
        return try db.limitingLength(to: Self.longestValue) {
            try Self.entries(db, of: device, range, withoutDeleted: isSound, &head)
        }
    }

    /// The maximum size of a value. Longer names and lists are ignored.
    private static let longestValue = 1 << 20

    static func isComplete(_ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: """
                SELECT (SELECT count(*) FROM log WHERE operation IN (3, 4))
                    - ifnull((SELECT sum(size) FROM log WHERE operation = 5), 0)
                    = (SELECT count(*) FROM content)
                """) ?? false
    }

    private static func entries(
        _ db: Database, of device: DeviceID, _ range: ClosedRange<Int64>, withoutDeleted: Bool,
        _ head: inout LogHead<NoNotes>
    ) throws -> [BackingRead.Entry] {
        let filter =
            withoutDeleted
            ? """
            AND (operation NOT IN (3, 4)
                OR EXISTS (SELECT 1 FROM content WHERE content.id = log.id))
            """ : ""
        let rows = try Stepper(
            db,
            """
            SELECT id, timestamp, operation, workspace, document, chunk, size, value FROM log
            WHERE id BETWEEN ? AND ? \(filter) ORDER BY id
            """)
        rows.bind(1, range.lowerBound)
        rows.bind(2, range.upperBound)
        var entries: [BackingRead.Entry] = []
        while try rows.step() {
            let timestamp = rows.integer(1) ?? 0
            // A chunk with an invalid timestamp is still listed, so that a wrong clock doesn't lose
            // data.
            let isDated = head.note(timestamp)
            add(rows, of: device, isDated ? timestamp : nil, to: &entries, &head)
        }
        return entries
    }

    private static func add(
        _ row: Stepper, of device: DeviceID, _ time: Int64?, to entries: inout [BackingRead.Entry],
        _ head: inout LogHead<NoNotes>
    ) {
        let id = row.integer(0) ?? 0
        let timestamp = time.map(Timestamp.init(microseconds:))
        let stamp = BackingRead.Stamp(timestamp: timestamp ?? .earliest, device: device)
        switch row.integer(2).flatMap(Operation.init(rawValue:)) {
        case .name:
            guard let workspace = row.uuid(3), let name = row.text(7),
                name.count <= AutomergeStore.longestName
            else { break }
            let text = String(decoding: name, as: UTF8.self)
            return entries.append(.workspace(workspace, name: text, stamp))
        case .workspaceDeletion:
            guard let workspace = row.uuid(3) else { break }
            return entries.append(.workspaceDeleted(workspace, stamp))
        case .snapshot, .delta:
            guard let workspace = row.uuid(3), let document = row.uuid(4), let chunk = row.uuid(5),
                let size = row.integer(6), size >= 0, size <= AutomergeStore.longestChunk
            else { break }
            return entries.append(
                .chunk(
                    ChunkRecord(
                        id: chunk.uuidString, document: document, workspace: workspace,
                        isSnapshot: row.integer(2) == Operation.snapshot.rawValue,
                        byteCount: Int(size), device: device, timestamp: timestamp,
                        actors: ActorList(text: row.text(7)),
                        key: .row(device, id))))
        case .chunkDeletion:
            guard let document = row.uuid(4), let list = row.text(7) else { break }
            for number in String(decoding: list, as: UTF8.self).split(separator: ",") {
                guard let row = Int64(number) else { continue }
                entries.append(.chunkDeleted(.row(device, row), of: document))
            }
            return
        case nil: break
        }
        if head.remarks.isEmpty {
            head.addRemark("row \(id) is of an unknown kind and is left out")
        }
    }

    /// Returns the bytes of chunks of one device. Chunks whose bytes don't match their records are
    /// omitted.
    static func contents(
        of chunks: [ChunkRecord], in path: String
    ) throws -> [ChunkKey: Data] {
        var found: [ChunkKey: Data] = [:]
        do {
            try ForeignDatabase.value(from: path) { found = try Self.contents($0, of: chunks) }
        } catch {
            // After an error from a damaged page, closing the database also fails. The bytes that
            // were read before the error are validated separately, so return them.
            if found.isEmpty { throw error }
        }
        return found
    }

    private static func contents(
        _ db: Database, of chunks: [ChunkRecord]
    ) throws -> [ChunkKey: Data] {
        let log = DocumentLog()
        _ = try log.identity(in: db)
        let find = """
            SELECT data FROM content JOIN log USING (id)
            WHERE id = ? AND chunk = ? AND length(data) = ? AND typeof(data) = 'blob'
            """
        var found: [ChunkKey: Data] = [:]
        for chunk in chunks {
            guard case .row(_, let row) = chunk.key, let id = UUID(uuidString: chunk.id) else {
                continue
            }
            // A damaged page affects only the chunks on it. A statement that failed isn't reused
            // for other chunks.
            found[chunk.key] = try? Data.fetchOne(
                db.cachedStatement(sql: find), arguments: [row, id.bytes, chunk.byteCount])
        }
        return found
    }
}
