import Replication
import TidelineCore

/// The times below the timeline, at equal distances.
struct TimeAxis {
    /// A time, and the column that starts at it.
    struct Label: Hashable {
        let column: Int
        let text: String
    }

    /// The number of columns from one label to the next.
    private static let distance = 14

    /// The labels that fit, with one column before each text for a tick.
    private(set) var labels: [Label] = []

    init(from first: Timestamp, to last: Timestamp, columns: Int, offset: UTCOffset) {
        let start = Double(first.microseconds)
        let perColumn = max(0, Double(last.microseconds) - start) / Double(max(1, columns - 1))
        var before = ""
        for column in stride(from: 0, to: perColumn > 0 ? columns : 1, by: Self.distance) {
            let microseconds = Int64(exactly: (start + perColumn * Double(column)).rounded())
            let instant = microseconds.map { Timestamp(microseconds: $0) } ?? last
            let whole = instant.text(in: offset)
            let text = Self.text(whole, after: before, step: perColumn * Double(Self.distance))
            before = whole
            if column + 1 + text.count <= columns {
                labels.append(Label(column: column, text: text))
            }
        }
    }

    /// Returns a time as precisely as the distance of the labels requires. Omits the year or the
    /// day if the previous label has the same year or day.
    ///
    /// - Parameter step: The time between two labels in microseconds.
    private static func text(_ whole: String, after before: String, step: Double) -> String {
        // An instant that is out of range has a shorter text.
        guard whole.count >= 19 else { return whole }
        let (second, minute, day) = (1_000_000.0, 60_000_000.0, 86_400_000_000.0)
        func part(_ range: Range<Int>) -> String {
            String(whole.dropFirst(range.lowerBound).prefix(range.count))
        }
        let isSameYear = whole.prefix(5) == before.prefix(5)
        if step >= 60 * day { return part(0..<7) }
        if step >= day { return isSameYear ? part(5..<10) : part(0..<10) }
        if step >= minute {
            return whole.prefix(10) == before.prefix(10) ? part(11..<16) : part(5..<16)
        }
        return step >= second || step == 0 ? part(11..<19) : part(14..<23)
    }
}
