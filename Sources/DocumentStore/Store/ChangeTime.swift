package import Foundation
package import Replication

/// The time of a change that the program of the change's author recorded.
///
/// The format counts seconds since 1970, but some JavaScript programs record the milliseconds that
/// `Date.now()` returns. A number above 100 billion is treated as milliseconds. As seconds, it
/// would be a time after the year 5138.
package struct ChangeTime {
    /// The number in the change; 0 if its author recorded no time.
    package let recorded: Int64

    package init(recorded: Int64) { self.recorded = recorded }

    private static let leastMilliseconds: UInt64 = 100_000_000_000

    /// Microseconds since 2001; `nil` if it is out of range.
    package var microseconds: Int64? {
        let unit: Int64 = recorded.magnitude > Self.leastMilliseconds ? 1_000 : 1_000_000
        let (scaled, isTooLarge) = recorded.multipliedReportingOverflow(by: unit)
        let (shifted, overflow) = scaled.subtractingReportingOverflow(
            Timestamp.microsecondsFrom1970)
        return isTooLarge || overflow ? nil : shifted
    }

    /// The time as a timestamp; `nil` if it wasn't recorded or is out of range.
    package var timestamp: Timestamp? {
        recorded == 0 ? nil : microseconds.map(Timestamp.init(microseconds:))
    }

    /// The time as a date; `nil` if it wasn't recorded or is out of range.
    package var date: Date? {
        guard let microseconds, recorded != 0 else { return nil }
        let seconds = Double(microseconds) / 1_000_000
        return abs(seconds) < 1e11 ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }
}
