import Replication
import TidelineCore

/// Formats and parses times.
enum TimeText {
    static let examples = "2026-11-21T09:15:00, 09:15:00, yesterday, 10m ago or microseconds"
    /// Examples without spaces, for commands that take two times.
    static let examplesOfOneWord = examples.replacing("10m ago", with: "-10m")

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

    /// Returns when ``age(of:at:)`` next changes after `now`; `nil` if it never does.
    static func nextAge(of instant: Timestamp, after now: Timestamp) -> Timestamp? {
        let (difference, overflow) = now.microseconds.subtractingReportingOverflow(
            instant.microseconds)
        if overflow { return nil }
        let second: Int64 = 1_000_000
        // Future ages count down and, like past ones, are truncated towards zero.
        let unit: Int64 =
            switch (difference / second).magnitude {
            case ..<60: second
            case ..<3_600: 60 * second
            case ..<86_400: 3_600 * second
            case ..<1_209_600: 86_400 * second
            case ..<31_557_600: 604_800 * second
            default: 31_557_600 * second
            }
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
            // One unit below the current value: `+2m` ends a microsecond after two minutes ahead.
            next = max(difference / unit * unit + 1, difference + 1)
        }
        let (result, isTooFar) = instant.microseconds.addingReportingOverflow(next)
        return isTooFar ? nil : Timestamp(microseconds: result)
    }

    /// `09:15:00`
    static func time(_ instant: Timestamp, offset: UTCOffset) -> String {
        let whole = text(instant, offset: offset)
        return String((whole.split(separator: " ").last ?? "").prefix(8))
    }

    /// Formats an instant as `2026-11-21 09:15:00.123456`, without a fraction if it is zero, as in
    /// timestamps of clocks with whole seconds.
    ///
    /// - Parameter offset: The time zone.
    static func text(_ instant: Timestamp, offset: UTCOffset) -> String {
        guard let shifted = instant.moved(bySeconds: offset.seconds(at: instant)) else {
            return instant.microseconds > 0 ? "end of time" : "start of time"
        }
        return String(shifted.plainISO8601.dropLast()).replacing("T", with: " ")
    }

    /// Parses a time: ISO 8601 (without a zone, in the shown time zone), a time of today, a day
    /// (`yesterday`), an age (`10m ago`, `-10m`, `3 days ago`), or microseconds since
    /// 2001-01-01T00:00:00Z.
    static func instant(in text: String, now: Timestamp, offset: UTCOffset) -> Timestamp? {
        let text = day(named: text, now: now, offset: offset) ?? text
        if let age = age(in: text) {
            let (result, overflow) = now.microseconds.subtractingReportingOverflow(age)
            return overflow ? nil : Timestamp(microseconds: result)
        }
        var whole = text
        if text.contains(":"), !text.dropFirst().contains("-"), text.first?.isNumber == true,
            !text.contains("T"), !text.contains(" ")
        {
            let isShort = text.prefix { $0 != ":" }.count == 1
            whole = self.text(now, offset: offset).prefix(11) + (isShort ? "0" : "") + text
        }
        guard let instant = try? Timestamp(parsing: whole) else { return nil }
        if Int64(whole) != nil || hasZone(whole) { return instant }
        return offset.instant(ofWallClock: instant)
    }

    /// Returns the date of a day named relative to today.
    static func day(named text: String, now: Timestamp, offset: UTCOffset) -> String? {
        let daysBack: Int
        switch text.lowercased() {
        case "today": daysBack = 0
        case "yesterday": daysBack = 1
        default: return nil
        }
        // Uses the local date, since not every day has 24 hours.
        return now.moved(bySeconds: offset.seconds(at: now) - 86_400 * daysBack).map {
            String(self.text($0, offset: 0).prefix { $0 != " " })
        }
    }

    /// Whether a text is a date without a time.
    static func isDate(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9]+-[0-9]{2}-[0-9]{2}/) != nil
    }

    /// Explains why a text is not a valid time, and what is.
    static func whyNoInstant(in text: String) -> String {
        let wrong: String
        if text.wholeMatch(of: /[0-9:.]*:[0-9:.]*/) != nil {
            wrong = "\(text) is not a valid time of day"
        } else if text.wholeMatch(of: /[0-9]+-[0-9]+-[0-9]+([T ].*)?/) != nil {
            wrong = "\(text) is not a valid date"
        } else if text == "A" || text == "B" {
            wrong = "mark \(text) is not set"
        } else {
            wrong = "\(text) is not a time"
        }
        return "\(wrong). Examples: \(examples)"
    }

    private static func hasZone(_ text: String) -> Bool {
        guard let time = text.firstIndex(where: { $0 == "T" || $0 == " " }) else { return false }
        return text[time...].dropFirst().contains { "Zz+-".contains($0) }
    }

    private static func age(in text: String) -> Int64? {
        var age = text[...]
        if age.hasPrefix("-") {
            age = age.dropFirst()
        } else if age.hasSuffix(" ago") {
            age = age.dropLast(4)
        }
        let digits = age.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let unit = unit(named: age.dropFirst(digits.count)),
            let seconds = Timestamp.secondsOfUnits[unit]
        else { return nil }
        let (result, overflow) = number.multipliedReportingOverflow(by: seconds * 1_000_000)
        return overflow ? nil : result
    }

    /// The letter of a unit, given as that letter or as a word after a space: `3 days`.
    private static func unit(named text: Substring) -> Character? {
        if text.count == 1 { return text.first }
        guard text.first == " " else { return nil }
        let word = text.dropFirst()
        let units = ["second", "minute", "hour", "day", "week", "year"]
        return units.first { word == $0 || word == $0 + "s" }?.first
    }
}
