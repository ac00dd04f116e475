import Replication

extension Timestamp {
    /// So many seconds in two or three letters, as ages are shown: `9s`, `2m`, `5h`, `3d`, `8w`,
    /// `2y`.
    package static func age(ofSeconds seconds: UInt64) -> String {
        switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3_600: "\(seconds / 60)m"
        case ..<86_400: "\(seconds / 3_600)h"
        case ..<1_209_600: "\(seconds / 86_400)d"
        case ..<31_557_600: "\(seconds / 604_800)w"
        default: "\(seconds / 31_557_600)y"
        }
    }

    /// The time from this instant to a later one, in the largest unit that tells two spans apart:
    /// `12 min`.
    func span(to later: Timestamp) -> String {
        let (microseconds, overflow) = later.microseconds.subtractingReportingOverflow(
            self.microseconds)
        guard !overflow else { return "ages" }
        return switch microseconds {
        case ..<1_000: "\(microseconds) µs"
        case ..<1_000_000: "\(microseconds / 1_000) ms"
        case ..<120_000_000: "\(microseconds / 1_000_000) s"
        case ..<7_200_000_000: "\(microseconds / 60_000_000) min"
        case ..<172_800_000_000: "\(microseconds / 3_600_000_000) h"
        default: "\(microseconds / 86_400_000_000) d"
        }
    }
}
