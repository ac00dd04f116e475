import Automerge
import Foundation

extension SalvagedDocumentLog {
    /// Finds the documents of the chunks that have lost their rows. A chunk belongs to a document
    /// if both contain the same change, or if a change of one depends on a change of the other.
    /// Changes are identified by their hashes.
    ///
    /// - Complexity: O(*n* *m*) in the number of document changes and of chunks without rows.
    func withStraysPlaced() -> Self {
        var placed = self
        var documents: [Place: Document] = [:]
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) where row.isChunk {
            guard let bytes = contents[id], !deleted.contains(id) else { continue }
            let document = documents[Place(row)] ?? Document()
            documents[Place(row)] = document
            try? document.applyEncodedChanges(encoded: Data(bytes))
        }
        var strays = self.strays
        while let (stray, place) = strays.lazy.compactMap({ id in
            documents.first { belongs(id, to: $0.value) }.map { (id, $0.key) }
        }).first {
            strays.removeAll { $0 == stray }
            guard let bytes = contents[stray] else { continue }
            try? documents[place]?.applyEncodedChanges(encoded: Data(bytes))
            // The chunk was written after the row with the next lower number, so use the timestamp
            // of that row.
            let before = rows.filter { $0.key < stray }.max { $0.key < $1.key }?.value.timestamp
            placed.addChunk(
                stray, as: Self.isWhole(bytes) ? .snapshot : .delta,
                at: before ?? rows.values.map(\.timestamp).min() ?? 0, to: place)
        }
        placed.completeSnapshots(documents)
        return placed
    }

    /// Adds a snapshot to each document that has lost its snapshots, so that it can be opened.
    private mutating func completeSnapshots(_ documents: [Place: Document]) {
        var isWhole: Set<Place> = []
        for (id, row) in rows where row.isSnapshot && contents[id] != nil {
            isWhole.insert(Place(row))
        }
        let last = rows.values.map(\.timestamp).max() ?? 0
        for (place, document) in documents
        where !isWhole.contains(place) && document.changeCount > 0 {
            let id = max(rows.keys.max() ?? 0, contents.keys.max() ?? 0) + 1
            contents[id] = Array(document.save())
            addChunk(id, as: .snapshot, at: last, to: place)
        }
    }

    private mutating func addChunk(
        _ id: Int64, as operation: DocumentLog.Operation, at timestamp: Int64, to place: Place
    ) {
        rows[id] = DocumentLogRow(
            id: id, timestamp: timestamp, operation: operation.rawValue,
            workspace: place.workspace, document: place.document, chunk: UUID())
    }

    private struct Place: Hashable {
        let workspace: UUID?
        let document: UUID?

        init(_ row: DocumentLogRow) { (workspace, document) = (row.workspace, row.document) }
    }

    /// Returns whether a chunk belongs to a document, as `withStraysPlaced` defines it.
    private func belongs(_ id: Int64, to document: Document) -> Bool {
        let (alone, both) = (Document(), document.fork())
        guard let bytes = contents[id].map({ Data($0) }),
            (try? alone.applyEncodedChanges(encoded: bytes)) != nil,
            (try? both.applyEncodedChanges(encoded: bytes)) != nil
        else { return false }
        if both.changeCount != document.changeCount + alone.changeCount { return true }
        // `fork` omits the document's waiting changes. They may depend on a change in this chunk,
        // even if that change waits for another chunk without a row.
        let waiting = alone.waitingChanges
        return document.missingChanges().contains {
            alone.changeNumber(of: $0) != nil || waiting.contains($0)
        }
    }

    /// Returns whether a chunk starts with a whole document instead of a change.
    ///
    /// Source: <https://automerge.org/automerge-binary-format-spec/#_chunk_header>
    private static func isWhole(_ bytes: [UInt8]) -> Bool { bytes.count > 8 && bytes[8] == 0 }
}
