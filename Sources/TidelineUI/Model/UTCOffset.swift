import Foundation
import Replication

/// How far ahead of UTC times are shown and typed.
public enum UTCOffset: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// The same at any time, in seconds.
    case fixed(Int)
    /// As the time zone of this process has it: in many, summer differs from winter.
    case local

    /// The same number of seconds at any time.
    public init(integerLiteral seconds: Int) { self = .fixed(seconds) }

    /// In seconds; 0 for an instant that no calendar shows.
    func seconds(at instant: Timestamp) -> Int {
        switch self {
        case .fixed(let seconds): return seconds
        case .local:
            // Foundation knows it too, but brings ICU's tables into memory to say it.
            var seconds = Int(instant.date.timeIntervalSince1970.rounded(.down))
            var local = tm()
            return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        }
    }

    /// The instant at which a clock on the wall shows what one in UTC shows at `instant`; the earlier
    /// one where it shows that twice. A time that it leaves out is the one which it shows instead.
    func instant(ofWallClock instant: Timestamp) -> Timestamp? {
        Self.instant(ofWallClock: instant, seconds: seconds)
    }

    static func instant(
        ofWallClock instant: Timestamp, seconds: (Timestamp) -> Int
    ) -> Timestamp? {
        // As the clock went the day before, and as it goes the day after.
        let candidates = [-86_400, 86_400].compactMap { aside in
            instant.moved(bySeconds: aside).flatMap { instant.moved(bySeconds: -seconds($0)) }
        }
        return candidates.first { $0.moved(bySeconds: seconds($0)) == instant }
            ?? candidates.first
    }
}

extension Timestamp {
    /// Later by that many seconds; `nil` beyond what a timestamp can say.
    func moved(bySeconds seconds: Int) -> Timestamp? {
        let (result, overflow) = microseconds.addingReportingOverflow(Int64(seconds) * 1_000_000)
        return overflow ? nil : Timestamp(microseconds: result)
    }
}
