import DocumentStore
import Foundation
public import Replication

extension DocumentStorePart {
    /// Returns the times at which each device wrote chunks. If chunks don't record their writers,
    /// returns the times at which the actors of the shown document made their changes.
    ///
    /// - Throws: An error if the shown document can't be read.
    /// - Complexity: O(*n*) in the number of chunks.
    public func activity(buckets: Int) async throws -> Activity {
        var samples: [DeviceID: [Activity.Sample]] = [:]
        for document in context.store?.documentSummaries() ?? [] {
            for (device, timestamp) in chunkTimes(of: document.id) {
                samples[device, default: []].append(Activity.Sample(timestamp, 1))
            }
        }
        guard samples.isEmpty else { return Activity(samples) }
        return try await context.current?.opened()?.times.activity ?? Activity()
    }

    /// Returns the nearest instant of a chunk or of a change of the shown document.
    ///
    /// For the shown document, uses the times of its changes, not of their chunks.
    ///
    /// - Throws: Errors from reading the document.
    /// - Complexity: O(*n*) in the number of chunks.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        var candidates: [Timestamp] = []
        let shown = try await documentShownByChanges(device: device)
        for document in context.store?.documentSummaries() ?? [] where document.id != shown?.id {
            let times = chunkTimes(of: document.id).filter { device == nil || $0.device == device }
            candidates += times.map(\.timestamp).filter { backwards ? $0 < instant : $0 > instant }
        }
        if let open = shown?.open,
            let change = open.times.step(
                from: instant, backwards: backwards, actors: device.map(open.actors(of:)))
        {
            candidates.append(change)
        }
        return backwards ? candidates.max() : candidates.min()
    }

    /// Returns the chunks and the change of the shown document that were written at an instant.
    ///
    /// - Throws: Errors from reading the document.
    /// - Complexity: O(*n*) in the number of chunks.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        guard let store = context.store else { return [] }
        let shown = try await documentShownByChanges(device: device)
        var writes = shown?.open.writes(at: instant, device: device) ?? []
        for document in store.documentSummaries()
        where document.id != shown?.id && writes.count < OpenDocument.shownWrites {
            let chunks = store.chunks(of: document.id).filter {
                $0.timestamp == instant && (device == nil || $0.device == device)
            }
            guard let author = chunks.lazy.compactMap(\.device).first else { continue }
            let count = chunks.count == 1 ? "a chunk" : "\(chunks.count) chunks"
            writes.append(
                PastWrite(
                    .device(author), "wrote \(count) of \(context.title(of: document.id))",
                    link: Detail.Link(
                        pane: .documents, row: RowID(store.text(of: document.id)))))
        }
        return writes
    }

    private func chunkTimes(of document: UUID) -> [(device: DeviceID, timestamp: Timestamp)] {
        (context.store?.chunks(of: document) ?? []).compactMap { chunk in
            guard let device = chunk.device, let timestamp = chunk.timestamp else { return nil }
            return (device, timestamp)
        }
    }

    /// Returns the open document, if its changes show what `device` wrote. Returns `nil` if no
    /// actor of the device is known, because then only the chunks show its writes.
    private func documentShownByChanges(
        device: DeviceID?
    ) async throws -> (id: UUID, open: OpenDocument)? {
        guard let document = context.current, let open = try await document.opened() else {
            return nil
        }
        if let device, open.actors(of: device).isEmpty { return nil }
        return (document.id, open)
    }
}
