public import Replication

extension EntityStore {
    /// Returns a read-only snapshot of the store at an instant, in memory. It includes the rows
    /// written up to that instant that this device has now.
    ///
    /// - Throws: `ReplicationError` if the package is missing. Unreadable devices are omitted.
    /// - Complexity: As opening the store.
    public func snapshot(at instant: Timestamp) async throws -> EntityStore {
        let batches = try backing.readAll().map { batch in
            var past = batch
            past.rows.removeAll { $0.timestamp > instant.microseconds }
            return past
        }
        let store = EntityStore(backing: EntityMemoryBacking(past: batches), clock: clock)
        try await store.load()
        return store
    }

    /// Divides the time from the first row to the last into equal parts, and returns the number of
    /// rows that each device wrote in each part.
    ///
    /// - Returns: `nil` if there are no rows.
    /// - Complexity: O(*n*) in the number of entries, including removed entries.
    public func activity(
        parts: Int
    ) -> (first: Timestamp, last: Timestamp, counts: [DeviceID: [Int]])? {
        let parts = max(1, min(parts, 10_000))
        guard let first = graph.stamps.map(\.timestamp).min(),
            let last = graph.stamps.map(\.timestamp).max()
        else { return nil }
        let span = Double(last) - Double(first)
        var counts = [[Int]](
            repeating: [Int](repeating: 0, count: parts), count: graph.devices.count)
        for stamp in graph.stamps {
            let share = span > 0 ? (Double(stamp.timestamp) - Double(first)) / span : 0
            counts[Int(stamp.device)][min(parts - 1, Int(share * Double(parts)))] += 1
        }
        return (
            Timestamp(microseconds: first), Timestamp(microseconds: last),
            Dictionary(uniqueKeysWithValues: zip(graph.devices, counts))
        )
    }

    /// Returns the nearest instant after `instant` (or before it, if `backwards`) at which `device`
    /// wrote. If `device` is `nil`, the writes of all devices count.
    ///
    /// - Complexity: O(*n*) in the number of entries, including removed entries.
    public func nearestWrite(
        to instant: Timestamp, backwards: Bool, device: DeviceID? = nil
    ) -> Timestamp? {
        let number = device.map { graph.deviceNumbers[$0] }
        var nearest: Int64?
        for stamp in graph.stamps where number == nil || number == stamp.device {
            if backwards, stamp.timestamp < instant.microseconds {
                nearest = max(nearest ?? .min, stamp.timestamp)
            } else if !backwards, stamp.timestamp > instant.microseconds {
                nearest = min(nearest ?? .max, stamp.timestamp)
            }
        }
        return nearest.map { Timestamp(microseconds: $0) }
    }
}

extension EntityGraph {
    /// The times and writers of rows, except removals and older deletions.
    fileprivate var stamps: some Sequence<Stamp> {
        [
            AnySequence(entries.lazy.map { stamp(of: $0) }),
            AnySequence(creations.lazy.map(\.stamp)), AnySequence(deletions.values),
        ].joined()
    }
}
