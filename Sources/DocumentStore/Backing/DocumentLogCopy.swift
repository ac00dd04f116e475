import Automerge
package import Foundation
import GRDB
package import Replication

/// Copies all rows of the given documents from the logs of one package to another.
package enum DocumentLogCopy {
    /// Copies the rows, the chunks, and the names and deletions of the documents' workspaces. Rows
    /// get new numbers.
    ///
    /// - Parameters:
    ///   - documents: The identifiers of the documents.
    ///   - output: A package without documents.
    ///   - redaction: The stand-ins for devices, names and contents; `nil` to keep the originals.
    ///     Numbers in documents stay.
    /// - Returns: The number of rows.
    /// - Throws: ``DocumentStoreError``: `.noSuchDocument` for a document without rows,
    ///   `.unreadable` if a chunk of a document to be redacted is damaged; `ReplicationError` if a
    ///   log can't be read.
    /// - Complexity: Reads all chunks of these documents and holds them in memory.
    package static func copyRows(
        of documents: Set<UUID>, from package: StorePackage, to output: StorePackage,
        redaction: Redaction? = nil
    ) throws -> Int {
        guard !documents.isEmpty else { return 0 }
        var logs: [(device: DeviceID, path: String, rows: [DocumentLogRow])] = []
        for folder in try package.downloadedFolders(with: .documents) {
            let path = folder.path(of: .documents)
            logs.append((folder.id, path, try DocumentLogRow.rows(inLogAt: path)))
        }
        let found = logs.flatMap(\.rows).filter { $0.document.map(documents.contains) ?? false }
        if let missing = documents.subtracting(found.compactMap(\.document)).first {
            throw DocumentStoreError(.noSuchDocument, "there is no document \(missing)")
        }
        let workspaces = Set(found.compactMap(\.workspace))
        for index in logs.indices {
            logs[index].rows.removeAll { row in
                !(row.document.map(documents.contains)
                    ?? row.workspace.map(workspaces.contains) ?? false)
            }
            try logs[index].rows.readChunks(ofLogAt: logs[index].path)
        }
        let contents = try redaction.map { try RedactedChunks(logs.flatMap(\.rows), $0) }
        var count = 0
        for (device, _, rows) in logs where !rows.isEmpty {
            let rows = try contents.map { contents in try rows.map(contents.row) } ?? rows
            let owner = try redaction?.device(device) ?? device
            try write(rows, ofLogOf: owner, to: output)
            count += rows.count
        }
        return count
    }

    private static func write(
        _ rows: [DocumentLogRow], ofLogOf device: DeviceID, to output: StorePackage
    ) throws {
        let log = DocumentLog()
        var options = LocalDatabase.Options()
        options.creationSQL = log.creationSQL
        let database = LocalDatabase(.documents, of: device, in: output, options: options) {
            try log.create(in: $0, as: device)
        }
        defer { database.close() }
        var numbers: [Int64: Int64] = [:]
        for (place, row) in rows.enumerated() { numbers[row.id] = Int64(place) + 1 }
        try database.write { db in
            for row in rows { try row.numbered(numbers[row.id] ?? 0, numbers).insert(into: db) }
        }
    }
}

/// The chunks of documents, in which stand-ins replace the original contents.
private struct RedactedChunks {
    private let redaction: Redaction
    private let actors: [ActorId: ActorId]
    private var documents: [UUID: ChangeSubstitution] = [:]

    init(_ rows: [DocumentLogRow], _ redaction: Redaction) throws {
        self.redaction = redaction
        var changes: [UUID: [ChangeSubstitution.Encoded]] = [:]
        for row in rows {
            guard let document = row.document, let data = row.data else { continue }
            changes[document, default: []] += try Self.changes(in: data, of: document)
        }
        var actors = try ChangeSubstitution.actors(of: changes.values.joined())
        for row in rows where row.isChunk {
            actors.formUnion(ActorList(text: row.text.map { Array($0.utf8) }).all)
        }
        self.actors = try Self.standIns(for: actors, redaction)
        let (redact, known) = (redaction, self.actors)
        for (document, changes) in changes.sorted(by: { $0.key.uuidString < $1.key.uuidString }) {
            documents[document] = try ChangeSubstitution(
                of: changes,
                .init(
                    actor: { known[$0] ?? $0 }, text: redact.text, character: redact.character,
                    data: redact.data))
        }
    }

    private static func changes(
        in data: Data, of document: UUID
    ) throws -> [ChangeSubstitution.Encoded] {
        do {
            return try ChangeSubstitution.changes(in: data)
        } catch let error as DocError {
            throw DocumentStoreError(
                .unreadable, "a chunk of the document \(document) is damaged: \(error.message)")
        }
    }

    /// Returns a stand-in for each actor. The stand-ins sort in the same order as the actors,
    /// because this order decides between concurrent values.
    private static func standIns(
        for actors: Set<ActorId>, _ redaction: Redaction
    ) throws -> [ActorId: ActorId] {
        let sorted = actors.sorted()
        guard let standIns = redaction.ordered(sorted.map(\.data)) else {
            throw DocumentStoreError(
                .unsupported, "too many authors have identifiers that are too short to redact")
        }
        return Dictionary(
            uniqueKeysWithValues: zip(sorted, standIns).map { ($0, ActorId(bytes: Array($1))) })
    }

    /// Returns a copy of a row in which stand-ins replace the original values.
    func row(_ row: DocumentLogRow) throws -> DocumentLogRow {
        var new = row
        new.workspace = row.workspace.map(redaction.identifier)
        new.document = row.document.map(redaction.identifier)
        new.chunk = row.chunk.map(redaction.identifier)
        if row.isName { new.text = row.text.map(redaction.text) }
        guard row.isChunk else { return new }
        let list = ActorList(text: row.text.map { Array($0.utf8) })
        new.text = ActorList(list.all.map { actors[$0] ?? $0 }).text
        guard let document = row.document, let data = row.data,
            let substitution = documents[document]
        else { return new }
        let changes = substitution.encoded(try Self.changes(in: data, of: document))
        new.data = row.isSnapshot ? try Self.snapshot(of: changes) : changes
        new.size = new.data.map { Int64($0.count) }
        return new
    }

    private static func snapshot(of changes: Data) throws -> Data {
        let document = Document()
        if !changes.isEmpty { try document.applyEncodedChanges(encoded: changes) }
        return document.stored().encoded
    }
}
