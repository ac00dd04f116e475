import Foundation

/// The winner of each key as of an instant, which can be moved to other instants.
struct PastWinners {
    /// The newest row of a key, as a log and a position in it. If times are equal, the greater
    /// device wins and, within a log, the later row.
    struct Winner: BitwiseCopyable {
        var timestamp = Int64.min
        var log: UInt16 = 0
        /// Whether the row removes its key.
        var isRemoval = false
        var position: UInt32 = 0

        fileprivate func isBelow(_ other: Winner) -> Bool {
            if timestamp != other.timestamp { return timestamp < other.timestamp }
            return log != other.log ? log < other.log : position <= other.position
        }
    }

    /// The winners by key number. The timestamp is `Int64.min` if there is no row.
    private(set) var winners: [Winner]
    private var instant = Int64.min
    /// The known state of each log.
    private var signs: [Sign]

    private struct Sign: Equatable {
        let origin: UUID
        let rows: Int
    }

    /// Creates a value without rows.
    init(_ logs: [LogTimes], count: Int) {
        winners = Array(repeating: Winner(), count: count)
        signs = Self.signs(of: logs)
    }

    private static func signs(of logs: [LogTimes]) -> [Sign] {
        logs.map { Sign(origin: $0.origin, rows: $0.timestamps.count) }
    }

    /// Adds new rows of the logs.
    ///
    /// - Returns: Whether the logs are the known logs, possibly with more rows. Otherwise, create a
    ///   new value.
    mutating func takeIn(_ logs: [LogTimes], count: Int) -> Bool {
        let now = Self.signs(of: logs)
        guard now != signs else { return grow(to: count) }
        guard now.count == signs.count, grow(to: count),
            zip(signs, now).allSatisfy({ $0.origin == $1.origin && $0.rows <= $1.rows })
        else { return false }
        for (number, log) in logs.enumerated() where signs[number].rows < now[number].rows {
            consider(
                log, number, signs[number].rows..<now[number].rows, after: .min, through: instant
            ) { _ in true }
        }
        signs = now
        return true
    }

    /// Makes space for new keys.
    private mutating func grow(to count: Int) -> Bool {
        guard count >= winners.count else { return false }
        winners += Array(repeating: Winner(), count: count - winners.count)
        return true
    }

    /// Moves to another instant.
    ///
    /// - Parameter logs: The logs from which this value was created.
    mutating func move(to end: Int64, in logs: [LogTimes]) {
        if end < instant {
            // If the winner of a key is later than the instant, all rows of the key are searched.
            var isOpen = [Bool](repeating: false, count: winners.count)
            for entry in winners.indices where winners[entry].timestamp > end {
                winners[entry] = Winner()
                isOpen[entry] = true
            }
            for (number, log) in logs.enumerated() {
                consider(
                    log, number, log.positions(after: .min, through: end), after: .min, through: end
                ) { isOpen[$0] }
            }
        } else if end > instant {
            for (number, log) in logs.enumerated() {
                consider(
                    log, number, log.positions(after: instant, through: end), after: instant,
                    through: end
                ) { _ in true }
            }
        }
        instant = end
    }

    private mutating func consider(
        _ log: LogTimes, _ number: Int, _ positions: Range<Int>, after start: Int64,
        through end: Int64, where isWanted: (Int) -> Bool
    ) {
        let count = winners.count
        winners.withUnsafeMutableBufferPointer { winners in
            log.timestamps.withUnsafeBufferPointer { timestamps in
                log.entries.withUnsafeBufferPointer { entries in
                    for position in positions {
                        let timestamp = timestamps[position]
                        guard timestamp <= end, timestamp > start else { continue }
                        let entry = Int(entries[position] & ~LogTimes.removal)
                        guard entry < count, isWanted(entry) else { continue }
                        let row = Winner(
                            timestamp: timestamp, log: UInt16(clamping: number),
                            isRemoval: entries[position] & LogTimes.removal != 0,
                            position: UInt32(clamping: position))
                        if winners[entry].isBelow(row) { winners[entry] = row }
                    }
                }
            }
        }
    }
}
