public import Replication

/// The write activity of each device, in buckets.
public struct Timeline: Hashable, Sendable {
    /// The oldest instant.
    public var first: Timestamp
    /// The newest instant.
    public var last: Timestamp
    /// The rows per bucket, for each device.
    public var activity: [DeviceID: [Int]]
}

extension Timeline {
    /// Combines the activities of several parts over their common time span.
    ///
    /// - Parameter buckets: The number of equal parts of the common time span, at most 10,000.
    /// - Returns: `nil` if nothing was written.
    /// - Complexity: O(*n*) in the number of samples.
    init?(_ activities: [Activity], buckets: Int) {
        let samples = activities.flatMap(\.samples)
        let instants = samples.lazy.flatMap(\.value).map(\.instant)
        guard let first = instants.min(), let last = instants.max() else { return nil }
        self.init(first: first, last: last, activity: [:])
        let buckets = max(1, min(buckets, 10_000))
        for (device, samples) in samples {
            var counts = activity[device] ?? [Int](repeating: 0, count: buckets)
            for sample in samples {
                counts[Self.bucket(of: sample.instant, from: first, to: last, buckets)] +=
                    sample.count
            }
            activity[device] = counts
        }
    }

    private static func bucket(
        of instant: Timestamp, from first: Timestamp, to last: Timestamp, _ buckets: Int
    ) -> Int {
        let span = Double(last.microseconds) - Double(first.microseconds)
        guard span > 0 else { return 0 }
        let offset = Double(instant.microseconds) - Double(first.microseconds)
        return max(0, min(Int(offset / span * Double(buckets - 1)), buckets - 1))
    }
}

/// The write activity of each device in one part of a store.
public struct Activity: Hashable, Sendable {
    /// The number of rows written since the previous sample.
    public struct Sample: Hashable, Sendable {
        /// The time of the last of these rows.
        public var instant: Timestamp
        /// The number of rows.
        public var count: Int

        /// Creates a sample.
        public init(_ instant: Timestamp, _ count: Int) {
            self.instant = instant
            self.count = count
        }
    }

    /// The samples of each device, including those of the first and the last write.
    public var samples: [DeviceID: [Sample]]

    /// Creates an activity; by default, without writes.
    public init(_ samples: [DeviceID: [Sample]] = [:]) { self.samples = samples }
}
