import Replication

/// For each key the row that wins at an instant, moved from instant to instant.
struct PastWinners {
    /// The newest row of a key, by its log and its position there. Of equal times the greater device
    /// wins, and in its log the later row.
    struct Winner: BitwiseCopyable {
        var timestamp = Int64.min
        var log: UInt16 = 0
        var position: UInt32 = 0
    }

    /// By the numbers of the keys; a timestamp of `Int64.min` where there is no row.
    private(set) var winners: [Winner]
    private var instant = Int64.min
    /// What was known of each log.
    private let signs: [Sign]

    private struct Sign: Equatable {
        let device: DeviceID
        let log: LogTimes.Sign
        let rows: Int
    }

    /// No row of any key.
    init(_ logs: [LogTimes], count: Int) {
        winners = Array(repeating: Winner(), count: count)
        signs = Self.signs(of: logs)
    }

    /// Whether these are winners among the rows of those logs.
    func isOf(_ logs: [LogTimes], count: Int) -> Bool {
        winners.count == count && signs == Self.signs(of: logs)
    }

    private static func signs(of logs: [LogTimes]) -> [Sign] {
        logs.map { Sign(device: $0.device, log: $0.sign, rows: $0.timestamps.count) }
    }

    /// Finds the winners of another instant.
    ///
    /// - Parameter logs: The logs that it was made of.
    mutating func move(to end: Int64, in logs: [LogTimes]) {
        if end < instant {
            // Who won by a later row is looked for among all rows.
            var isOpen = [Bool](repeating: false, count: winners.count)
            for entry in winners.indices where winners[entry].timestamp > end {
                winners[entry] = Winner()
                isOpen[entry] = true
            }
            consider(logs, after: .min, through: end) { isOpen[$0] }
        } else if end > instant {
            consider(logs, after: instant, through: end) { _ in true }
        }
        instant = end
    }

    private mutating func consider(
        _ logs: [LogTimes], after start: Int64, through end: Int64, where isWanted: (Int) -> Bool
    ) {
        let count = winners.count
        winners.withUnsafeMutableBufferPointer { winners in
            for (number, log) in logs.enumerated() {
                log.timestamps.withUnsafeBufferPointer { timestamps in
                    log.entries.withUnsafeBufferPointer { entries in
                        for position in log.positions(after: start, through: end) {
                            let timestamp = timestamps[position]
                            guard timestamp <= end, timestamp > start else { continue }
                            let entry = Int(entries[position] & ~LogTimes.removal)
                            guard entry < count, isWanted(entry),
                                timestamp >= winners[entry].timestamp
                            else { continue }
                            winners[entry] = Winner(
                                timestamp: timestamp, log: UInt16(clamping: number),
                                position: UInt32(clamping: position))
                        }
                    }
                }
            }
        }
    }
}
