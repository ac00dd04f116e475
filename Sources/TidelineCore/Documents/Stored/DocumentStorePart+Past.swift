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
