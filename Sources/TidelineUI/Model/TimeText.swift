import Replication
import TidelineCore

/// Formats times.
enum TimeText {
    /// Returns an age in two or three characters: `now`, `9s`, `2m`, `5h`, `3d`, `8w`, `2y`. A
    /// future instant is `+2h`.
    static func age(of instant: Timestamp, at now: Timestamp) -> String {
        let (difference, overflow) = now.microseconds.subtractingReportingOverflow(
            instant.microseconds)
        if overflow { return instant < now ? "∞" : "+∞" }
        let seconds = difference / 1_000_000
        if seconds <= 0 && difference > -2_000_000 { return "now" }
        let text = Timestamp.age(ofSeconds: seconds.magnitude)
        return seconds < 0 ? "+" + text : text
    }

    /// Returns the first time after `now` at which ``age(of:at:)`` changes; `nil` if it never does.
    static func nextAge(of instant: Timestamp, after now: Timestamp) -> Timestamp? {
        let (difference, overflow) = now.microseconds.subtractingReportingOverflow(
            instant.microseconds)
        if overflow { return nil }
        let second: Int64 = 1_000_000
        // Ages are truncated toward zero, for past and future instants. Future ages count down.
        let seconds = (difference / second).magnitude
        let unit = Int64(Timestamp.ageUnit(ofSeconds: seconds).seconds) * second
        let next: Int64
        if difference >= 0 {
            let (step, isTooLong) = (difference / unit + 1).multipliedReportingOverflow(by: unit)
            if isTooLong { return nil }
            let year = 31_557_600 * second
            // A year isn't a whole number of weeks.
            next = difference < year ? min(step, year) : step
        } else if difference > -2 * second {
            next = second
        } else {
            // The age changes when the remaining time is less than the current unit. `+2m` changes
            // one microsecond after the instant is exactly two minutes ahead.
            next = max(difference / unit * unit + 1, difference + 1)
        }
        let (result, isTooFar) = instant.microseconds.addingReportingOverflow(next)
        return isTooFar ? nil : Timestamp(microseconds: result)
    }

    /// Returns a time of day: `09:15:00`.
    static func time(_ instant: Timestamp, offset: UTCOffset) -> String {
        let whole = instant.text(in: offset)
        return String((whole.split(separator: " ").last ?? "").prefix(8))
    }
}
