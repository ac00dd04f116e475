import Replication

extension Timestamp {
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
