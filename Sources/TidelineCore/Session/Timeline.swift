public import Replication

/// When each device wrote, coarsened.
public struct Timeline: Hashable, Sendable {
    /// The oldest instant.
    public var first: Timestamp
    /// The newest instant.
    public var last: Timestamp
    /// Rows a bucket, a device.
    public var activity: [DeviceID: [Int]]

    /// Counts of rows in equal parts of the time from `first` to `last`.
    public init(first: Timestamp, last: Timestamp, activity: [DeviceID: [Int]]) {
        self.first = first
        self.last = last
        self.activity = activity
    }

    /// What parts of a store know, over the time that all of them span.
    ///
    /// - Parameter buckets: How many parts of that time there are to be, of 10,000 at most.
    /// - Returns: `nil` where nothing was written.
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

/// When each device wrote, as a part of a store knows it.
public struct Activity: Hashable, Sendable {
    /// Rows that were written at an instant, or since the one before.
    public struct Sample: Hashable, Sendable {
        /// When the last of them was written.
        public var instant: Timestamp
        /// How many rows they are.
        public var count: Int

        /// A number of rows at an instant.
        public init(_ instant: Timestamp, _ count: Int) {
            self.instant = instant
            self.count = count
        }
    }

    /// The samples of each device. The first and the last instant that were written at are among
    /// them.
    public var samples: [DeviceID: [Sample]]

    /// These samples; without any, nothing was written.
    public init(_ samples: [DeviceID: [Sample]] = [:]) { self.samples = samples }
}
