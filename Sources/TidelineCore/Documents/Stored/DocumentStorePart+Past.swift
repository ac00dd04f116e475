import DocumentStore
import Foundation
public import Replication

extension DocumentStorePart {
    /// When each device wrote chunks; where chunks do not say who wrote them, when the actors of
    /// the shown document made their changes.
    ///
    /// - Throws: Nothing.
    /// - Complexity: O(*n*) in the number of chunks.
    public func activity(buckets: Int) async throws -> Activity {
        var samples: [DeviceID: [Activity.Sample]] = [:]
        for (device, timestamp) in chunkTimes {
            samples[device, default: []].append(Activity.Sample(timestamp, 1))
        }
        guard samples.isEmpty else { return Activity(samples) }
        return try await shown()?.times.activity ?? Activity()
    }

    /// The nearest instant at which a chunk was written, or a change of the shown document made.
    ///
    /// - Throws: What reading the document meets.
    /// - Complexity: O(*n*) in the number of chunks.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        var nearest: Timestamp?
        func consider(_ candidate: Timestamp) {
            guard backwards ? candidate < instant : candidate > instant else { return }
            nearest = nearest.map { backwards ? max($0, candidate) : min($0, candidate) }
            nearest = nearest ?? candidate
        }
        for (author, timestamp) in chunkTimes where device == nil || author == device {
            consider(timestamp)
        }
        guard let times = try await shown()?.times else { return nearest }
        let actor = device.flatMap { device in
            times.actors.firstIndex { OpenDocument.device(of: $0) == device }
        }
        guard device == nil || actor != nil else { return nearest }
        if let change = times.step(from: instant, backwards: backwards, actor: actor) {
            consider(change)
        }
        return nearest
    }

    /// The chunks that were written at an instant, and the change of the shown document that was made
    /// then.
    ///
    /// - Throws: What reading the document meets.
    /// - Complexity: O(*n*) in the number of chunks.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        guard let store = context.store else { return [] }
        var writes = try await shown()?.writes(at: instant, device: device) ?? []
        for document in store.documents() where writes.count < OpenDocument.shownWrites {
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

    private var chunkTimes: [(device: DeviceID, timestamp: Timestamp)] {
        guard let store = context.store else { return [] }
        return store.documents().flatMap { document in
            store.chunks(of: document.id).compactMap { chunk in
                guard let device = chunk.device, let timestamp = chunk.timestamp else {
                    return nil
                }
                return (device, timestamp)
            }
        }
    }

    private func shown() async throws -> OpenDocument? {
        try await context.current?.opened()
    }
}
