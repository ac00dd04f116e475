import Automerge
import DocumentStore
import Foundation
import Replication

/// The inspector's content for a document in the list.
extension DocumentStoreContext {
    /// The maximum number of chunks to list.
    private static let shownChunks = 200
    /// The maximum size of a document that is opened only for the inspector.
    private static let longestOpened = 4 << 20

    func detail(of id: UUID) async throws -> Detail? {
        guard let store else { return nil }
        guard let document = store.documentSummary(id) else {
            return store.workspaceSummary(id).map { missing($0, in: store) }
        }
        let chunks = store.chunks(of: id)
        var sections = [Detail.Section("Document", facts(document, chunks, in: store))]
        if !document.canBeOpened {
            let problem = "only later changes have arrived, without a snapshot"
            sections.append(Detail.Section("Problems", [Detail.Line("", problem, .problem)]))
        } else if knownDocument(id)?.known != nil || document.byteCount <= Self.longestOpened {
            sections += await contents(id, document, in: store)
        } else {
            let note = "large document: open it to see its content"
            sections.append(Detail.Section("Content", [Detail.Line("", note, .dim)]))
        }
        sections.append(
            Detail.Section("Chunks (\(Counted.grouped(chunks.count)))", lines(chunks)))
        return Detail(title: title(of: id), sections: sections)
    }

    private func missing(_ workspace: WorkspaceSummary, in store: AutomergeStore) -> Detail {
        let id = store.text(of: workspace.id)
        let lines = [
            Detail.Line("id", id, .key),
            Detail.Line("documents", Counted.grouped(workspace.documentCount), .number),
            Detail.Line("", "its index document has not arrived", .problem),
        ]
        return Detail(
            title: workspace.name.isEmpty ? id : workspace.name,
            sections: [Detail.Section("Workspace", lines)])
    }

    private func facts(
        _ document: DocumentSummary, _ chunks: [ChunkRecord], in store: AutomergeStore
    ) -> [Detail.Line] {
        var lines: [Detail.Line] = []
        if store.hasWorkspaces {
            let name = store.workspaceSummary(document.workspace)?.name ?? ""
            lines.append(Detail.Line("workspace", name.isEmpty ? "unnamed" : name))
            if !document.isIndex {
                lines.append(
                    Detail.Line(
                        "main", store.text(of: document.workspace), .link,
                        link: Detail.Link(
                            pane: .documents, row: RowID(store.text(of: document.workspace)))))
            }
        }
        lines += [
            Detail.Line("id", store.text(of: document.id), .key),
            Detail.Line("URL", "automerge:\(document.id.automergeID)", .key),
            Detail.Line("size", ByteCount.exactText(document.byteCount), .number),
            Detail.Line(
                "chunks",
                "\(Counted.grouped(document.chunkCount)) (snapshots \(document.snapshotCount), "
                    + "deltas \(document.chunkCount - document.snapshotCount))", .number),
        ]
        if let newest = document.newest {
            lines.append(Detail.Line("newest", newest.fullText, .timestamp))
        }
        let missing = missingDevices
        lines += writers(of: chunks).map { name, own in
            let bytes = own.reduce(0) { $0 + $1.byteCount }
            let isMissing = own.first?.device.map(missing.contains) == true
            return Detail.Line(
                name,
                "\(Counted.text(own.count, "chunk")), \(ByteCount.text(bytes))"
                    + (isMissing ? "; its file is missing" : ""), isMissing ? .problem : .device)
        }
        return lines
    }

    /// Returns the devices with their chunks, by descending number of chunks, then by name.
    private func writers(of chunks: [ChunkRecord]) -> [(name: String, chunks: [ChunkRecord])] {
        Dictionary(grouping: chunks.filter { $0.device != nil }) { $0.device }
            .compactMap { device, own in
                device.map { (id: $0.name, name: name(of: $0), chunks: own) }
            }
            .sorted { ($1.chunks.count, $0.name, $0.id) < ($0.chunks.count, $1.name, $1.id) }
            .map { ($0.name, $0.chunks) }
    }

    /// Returns the content that requires opening the document.
    private func contents(
        _ id: UUID, _ summary: DocumentSummary, in store: AutomergeStore
    ) async -> [Detail.Section] {
        let document = document(id)
        do {
            guard let open = try await document.opened() else { return [] }
            let whole = open.document.stored().encoded.count
            var lines = [
                Detail.Line("changes", Counted.grouped(open.times.count), .number),
                Detail.Line("actors", Counted.grouped(open.times.actors.count), .number),
                Detail.Line("keys", Counted.grouped(open.keyCount), .number),
                Detail.Line(
                    "combined",
                    "\(ByteCount.text(whole)) as one snapshot, now "
                        + ByteCount.text(summary.byteCount), .number),
            ]
            if open.conflictCount > 0 {
                let places = Counted.grouped(open.conflictCount)
                lines.append(Detail.Line("conflicts", places, .conflict))
            }
            lines += open.view.heads.texts.prefix(Self.shownChunks).enumerated().map {
                Detail.Line($0 == 0 ? "heads" : "", $1, .key)
            }
            var sections = [Detail.Section("Content", lines)]
            let problems = store.problems(of: id)?.lines ?? open.problems
            if !problems.isEmpty {
                sections.append(
                    Detail.Section("Problems", problems.map { Detail.Line("", $0, .problem) }))
            }
            return sections
        } catch {
            let line = Detail.Line("", String.reason(of: error), .problem)
            return [Detail.Section("Problems", [line])]
        }
    }

    private func lines(_ chunks: [ChunkRecord]) -> [Detail.Line] {
        chunks.prefix(Self.shownChunks).map { chunk -> Detail.Line in
            var parts = [
                chunk.isSnapshot ? "snapshot" : "delta", ByteCount.text(chunk.byteCount),
            ]
            if let timestamp = chunk.timestamp {
                parts.append(timestamp.secondText)
            }
            return Detail.Line(
                chunk.device.map(name(of:)) ?? "", parts.joined(separator: "  "),
                chunk.isSnapshot ? .winner : .plain)
        } + Detail.Line.rest(chunks.count - Self.shownChunks)
    }
}
