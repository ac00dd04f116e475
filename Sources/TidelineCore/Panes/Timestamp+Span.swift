package import Replication

extension Timestamp {
    /// The instant to the second in the zone ``UTCOffset/shown``.
    package var secondText: String { secondText(in: .shown) }

    /// The instant to the microsecond with its zone: `2026-11-21 09:12:30.123456Z` in UTC,
    /// `2026-11-21 04:12:30.123456 UTC-5` in another zone. A fraction of zero is omitted.
    var fullText: String { text(in: .shown) + UTCOffset.shown.label(at: self) }

    /// Formats the instant to the second: `2026-11-21 09:15:00Z` in UTC, `2026-11-21 04:15:00` in
    /// another zone.
    package func secondText(in offset: UTCOffset) -> String {
        let whole = text(in: offset)
        // An instant that is out of range has a shorter text.
        guard whole.count >= 19 else { return whole }
        return whole.prefix(19) + (offset.seconds(at: self) == 0 ? "Z" : "")
    }

    /// Formats the instant in a zone as `2026-11-21 09:15:00.123456`. A fraction of zero is
    /// omitted.
    package func text(in offset: UTCOffset) -> String {
        guard let shifted = moved(bySeconds: offset.seconds(at: self)) else {
            return microseconds > 0 ? "end of time" : "start of time"
        }
        return String(shifted.plainISO8601.dropLast()).replacing("T", with: " ")
    }

    /// Formats seconds as an age of two or three letters: `9s`, `2m`, `5h`, `3d`, `8w`, `2y`.
    package static func age(ofSeconds seconds: UInt64) -> String {
        let unit = ageUnit(ofSeconds: seconds)
        return "\(seconds / unit.seconds)\(unit.letter)"
    }

    /// Returns the unit in which an age is shown.
    package static func ageUnit(ofSeconds seconds: UInt64) -> (letter: Character, seconds: UInt64) {
        switch seconds {
        case ..<60: ("s", 1)
        case ..<3_600: ("m", 60)
        case ..<86_400: ("h", 3_600)
        case ..<1_209_600: ("d", 86_400)
        case ..<31_557_600: ("w", 604_800)
        default: ("y", 31_557_600)
        }
    }

    /// The units for showing and typing ages, in seconds. A year has 365.25 days.
    package static let secondsOfUnits: [Character: Int64] = [
        "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_557_600,
    ]

    /// Formats the delay of an arrival: `3 s late`, `12 min late`, `5 h late`, `2 d late`. Returns
    /// `clock ahead` for less than -3 seconds, and `nil` for less than 1 second.
    package static func lateness(ofSeconds seconds: Double) -> String? {
        switch seconds {
        case ..<(-3): "clock ahead"
        case ..<1: nil
        case ..<60: "\(Int(seconds)) s late"
        case ..<3_600: "\(Int(seconds / 60)) min late"
        case ..<86_400: "\(Int(seconds / 3_600)) h late"
        case ..<1e12: "\(Int(seconds / 86_400)) d late"
        default: nil
        }
    }

    /// Returns the seconds from this instant, the time of the write, to its arrival.
    package func lateness(at arrival: Timestamp) -> Double {
        (Double(arrival.microseconds) - Double(microseconds)) / 1e6
    }

    /// Returns the time to a later instant in a suitable unit: `12 min`.
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

extension Duration {
    /// The duration as an age of two or three letters.
    package var age: String { Timestamp.age(ofSeconds: UInt64(max(0, components.seconds))) }
}
