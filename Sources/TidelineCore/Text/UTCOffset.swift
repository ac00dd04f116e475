import Foundation
package import Replication

/// The time zone in which times are shown and typed.
public enum UTCOffset: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// A fixed offset, in seconds.
    case fixed(Int)
    /// The time zone of this process, including daylight saving time.
    case local

    /// The time zone of the texts that a source creates for the current task. The default is UTC,
    /// as scripts expect. The screen sets another zone.
    @TaskLocal package static var shown: UTCOffset = .fixed(0)

    /// Returns the name of an offset: `UTC-5`, `UTC+5:30`.
    private static func name(ofSeconds seconds: Int) -> String {
        let minutes = seconds.magnitude / 60
        let rest = minutes % 60 == 0 ? "" : ":" + (minutes % 60 < 10 ? "0" : "") + "\(minutes % 60)"
        return "UTC" + (seconds < 0 ? "-" : "+") + "\(minutes / 60)" + rest
    }

    /// Returns the zone as shown after a time: `Z` in UTC, ` UTC-5` in another zone.
    package func label(at instant: Timestamp) -> String {
        let seconds = seconds(at: instant)
        return seconds == 0 ? "Z" : " " + Self.name(ofSeconds: seconds)
    }

    /// Creates a fixed offset.
    public init(integerLiteral seconds: Int) { self = .fixed(seconds) }

    /// Returns the offset in seconds; 0 for an out-of-range instant.
    package func seconds(at instant: Timestamp) -> Int {
        switch self {
        case .fixed(let seconds): return seconds
        case .local:
            // Foundation can also compute this, but would load ICU's tables into memory.
            var seconds = Int(instant.date.timeIntervalSince1970.rounded(.down))
            var local = tm()
            return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        }
    }

    /// Converts local time to an instant. For an ambiguous local time, returns the earlier instant.
    /// Shifts a skipped local time by the length of the gap.
    package func instant(ofWallClock instant: Timestamp) -> Timestamp? {
        Self.instant(ofWallClock: instant, seconds: seconds)
    }

    package static func instant(
        ofWallClock instant: Timestamp, seconds: (Timestamp) -> Int
    ) -> Timestamp? {
        // Try the offsets of the day before and the day after, in case they differ.
        let candidates = [-86_400, 86_400].compactMap { aside in
            instant.moved(bySeconds: aside).flatMap { instant.moved(bySeconds: -seconds($0)) }
        }
        return candidates.first { $0.moved(bySeconds: seconds($0)) == instant }
            ?? candidates.first
    }
}

extension Timestamp {
    /// Returns the instant shifted by seconds; `nil` if the result is out of range.
    package func moved(bySeconds seconds: Int) -> Timestamp? {
        let (result, overflow) = microseconds.addingReportingOverflow(Int64(seconds) * 1_000_000)
        return overflow ? nil : Timestamp(microseconds: result)
    }
}
