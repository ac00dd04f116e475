import Replication

/// Timestamps by key. They are added in the order of the log and then grouped, so that each key's
/// timestamps are adjacent and sorted.
struct RowTimes: ~Copyable {
    private var keys = GrowingBuffer<UInt32>()
    private var times = GrowingBuffer<Int64>()
    /// The start of each key's times, and the end after the last key.
    private var starts = GrowingBuffer<Int>()

    mutating func note(_ timestamp: Int64, of key: UInt32) {
        keys.append(key)
        times.append(timestamp)
    }

    /// Groups the times. No times can be added afterward.
    ///
    /// - Parameter keyCount: The upper bound of the keys' numbers.
    /// - Complexity: O(*n*) if each key's times were added in order.
    mutating func group(keyCount: Int) {
        starts.append(repeating: 0, keyCount + 1)
        for index in 0..<keys.count { starts[Int(keys[index]) + 1] += 1 }
        for key in 0..<keyCount { starts[key + 1] += starts[key] }
        var grouped = GrowingBuffer<Int64>()
        grouped.append(repeating: 0, times.count)
        // While the times are moved, `starts` contains the position of each key's next time. At the
        // end, that is the start of the next key.
        for index in 0..<keys.count {
            let key = Int(keys[index])
            grouped[starts[key]] = times[index]
            starts[key] += 1
        }
        for key in stride(from: keyCount, to: 0, by: -1) { starts[key] = starts[key - 1] }
        starts[0] = 0
        keys = GrowingBuffer()
        times = grouped
        for key in 0..<keyCount { order(starts[key], starts[key + 1]) }
    }

    private mutating func order(_ start: Int, _ end: Int) {
        var index = start + 1
        while index < end, times[index - 1] <= times[index] { index += 1 }
        if index < end { times.sort(start..<end, by: <) }
    }

    /// Calls `body` with each distinct time of a key.
    func forEach(of key: UInt32, _ body: (Int64) -> Void) {
        var last: Int64?
        for index in starts[Int(key)]..<starts[Int(key) + 1] where times[index] != last {
            body(times[index])
            last = times[index]
        }
    }

    /// Returns whether the key has this time.
    ///
    /// - Complexity: O(log *n*) in the number of the key's times.
    func contains(_ timestamp: Int64, of key: UInt32) -> Bool {
        guard Int(key) + 1 < starts.count else { return false }
        let end = starts[Int(key) + 1]
        let place = (starts[Int(key)]..<end).firstPosition { times[$0] >= timestamp }
        return place < end && times[place] == timestamp
    }
}
