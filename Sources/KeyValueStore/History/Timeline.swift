public import Replication

extension KeyValueStore {
    /// The distribution of all logs' rows over time, for a scroll bar over very many rows.
    ///
    /// The distribution is based on a few hundred rows of each log, so ranks are approximate.
    public struct Timeline: Sendable {
        /// For each device, the timestamps of sampled rows, each with the number of rows up to it.
        public let samples: [DeviceID: [(timestamp: Timestamp, rank: Int)]]
        /// The total number of rows.
        public let total: Int

        /// Returns the approximate number of rows with a timestamp up to `timestamp`.
        public func rank(of timestamp: Timestamp) -> Int {
            samples.values.reduce(0) { $0 + Self.rank(of: timestamp, in: $1) }
        }

        private static func rank(
            of timestamp: Timestamp, in samples: [(timestamp: Timestamp, rank: Int)]
        ) -> Int {
            guard let next = samples.firstIndex(where: { $0.timestamp > timestamp }) else {
                return samples.last?.rank ?? 0
            }
            guard next > 0 else { return 0 }
            let (low, high) = (samples[next - 1], samples[next])
            let span = Double(high.timestamp.microseconds) - Double(low.timestamp.microseconds)
            let part = Double(timestamp.microseconds) - Double(low.timestamp.microseconds)
            return low.rank + Int(Double(high.rank - low.rank) * part / span)
        }

        /// Returns an instant with about `rank` rows up to it; `nil` if there are no samples.
        public func timestamp(atRank rank: Int) -> Timestamp? {
            let all = samples.values.flatMap { $0.map(\.timestamp) }
            guard var low = all.min()?.microseconds, var high = all.max()?.microseconds else {
                return nil
            }
            while low < high {
                let middle = low + Int64(UInt64(bitPattern: high &- low) / 2)
                if self.rank(of: Timestamp(microseconds: middle)) < rank {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return Timestamp(microseconds: low)
        }
    }

    /// Returns the distribution of the logs' rows over time.
    ///
    /// - Parameters:
    ///   - devices: Only these devices' rows; `nil` for all.
    ///   - count: The number of samples per log.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Logs that can't be read have no samples.
    /// - Complexity: A search for each sample of each log, regardless of the log's length.
    public func timeline(devices: Set<DeviceID>? = nil, samples count: Int = 256) throws -> Timeline
    {
        var samples: [DeviceID: [(timestamp: Timestamp, rank: Int)]] = [:]
        var total = 0
        let rows = Dictionary(keepingFirst: self.devices.map { ($0.device, $0.rows) })
        _ = try forEachLog(devices) { reader in
            let found = try reader.samples(
                max(2, min(count, 10_000)), ofRows: rows[reader.device] ?? 0)
            return (reader.device, found)
        } merge: { device, found in
            samples[device] = found
            total += found.last?.rank ?? 0
        }
        return Timeline(samples: samples, total: total)
    }
}

extension LogReader {
    /// Returns the timestamps of sampled rows in ascending order, each with the approximate number
    /// of rows up to it.
    ///
    /// - Parameter rowCount: The number of rows. It can't be derived from the ids in every format,
    ///   because a file may contain arbitrarily large ids.
    func samples(
        _ count: Int, ofRows rowCount: Int
    ) throws -> [(timestamp: Timestamp, rank: Int)] {
        guard let first = try self.first(Condition(), "ORDER BY \(form.id) LIMIT 1"),
            let last = try self.first(Condition(), "ORDER BY \(form.id) DESC LIMIT 1")
        else { return [] }
        let (span, overflow) = last.id.subtractingReportingOverflow(first.id)
        guard !overflow, span >= 0 else { return [] }
        var times: [Timestamp] = []
        if span < count {
            // There are so few rows that each is a sample.
            try forEach(Condition(), "ORDER BY \(form.id)") { row in
                times.append(row.timestamp)
                return true
            }
        } else {
            let steps = Int64(count - 1)
            for step in 0...steps {
                // The span is divided before multiplying, so that nothing overflows.
                let offset = span / steps * step + span % steps * step / steps
                var condition = Condition()
                condition.add("\(form.id) >= ?", .integer(first.id + offset))
                if let row = try self.first(condition, "ORDER BY \(form.id) LIMIT 1") {
                    times.append(row.timestamp)
                }
            }
        }
        times.sort()
        let rows = max(rowCount, times.isEmpty ? 0 : 1)
        let parts = max(times.count - 1, 1)
        return times.enumerated().map { index, time in
            let rank =
                times.count == 1 ? rows : 1 + Int(Double(rows - 1) * Double(index) / Double(parts))
            return (timestamp: time, rank: rank)
        }
    }
}
