package import Replication

/// Parses times that users type in commands and on the screen.
package enum TypedTime {
    /// Examples for messages about text that isn't a time.
    package static let examples =
        "2026-11-21T09:15:00, 09:15:00, yesterday, 10m ago or microseconds"
    /// Examples without spaces, for commands that take two times.
    package static let examplesOfOneWord = examples.replacing("10m ago", with: "-10m")

    /// Parses a time: ISO 8601, a time of today, a day (`yesterday`), an age (`10m ago`, `-10m`, `3
    /// days ago`), or microseconds since 2001-01-01T00:00:00Z. A time without a zone is in the
    /// shown zone.
    package static func instant(in text: String, now: Timestamp, offset: UTCOffset) -> Timestamp? {
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
            let today = day(named: "today", now: now, offset: offset) ?? ""
            whole = "\(today)T\(isShort ? "0" : "")\(text)"
        }
        guard let instant = try? Timestamp(parsing: whole) else { return nil }
        if Int64(whole) != nil || hasZone(whole) { return instant }
        return offset.instant(ofWallClock: instant)
    }

    /// Returns the date of a day named relative to today.
    package static func day(named text: String, now: Timestamp, offset: UTCOffset) -> String? {
        let daysBack: Int
        switch text.lowercased() {
        case "today": daysBack = 0
        case "yesterday": daysBack = 1
        default: return nil
        }
        // Use the local date, since not every day has 24 hours.
        return now.moved(bySeconds: offset.seconds(at: now) - 86_400 * daysBack).map {
            String($0.iso8601.prefix(10))
        }
    }

    /// Whether a text is a date without a time.
    package static func isDate(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9]+-[0-9]{2}-[0-9]{2}/) != nil
    }

    /// Returns the reason why a text is not a valid time, with examples of valid times.
    package static func whyNoInstant(in text: String) -> String {
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
        return "\(wrong); examples: \(examples)"
    }

    /// Returns the problem of a number that is probably a Unix time; `nil` for any other text. As
    /// microseconds since 2001, it would be a time in 2001.
    package static func unixTimeProblem(of text: String) -> String? {
        guard let number = Int64(text) else { return nil }
        let (unit, scale): (String, Int64)
        switch number {
        case 1_000_000_000..<10_000_000_000: (unit, scale) = ("seconds", 1_000_000)
        case 1_000_000_000_000..<10_000_000_000_000: (unit, scale) = ("milliseconds", 1_000)
        default: return nil
        }
        let unixTime = Timestamp(microseconds: number * scale - Timestamp.microsecondsFrom1970)
        let written = Timestamp(microseconds: number)
        return "looks like \(unit) since 1970; write \(unixTime.iso8601), "
            + "or \(written.iso8601) for microseconds since 2001"
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

    /// Returns the letter of a unit, given as that letter or as a word after a space: `3 days`.
    private static func unit(named text: Substring) -> Character? {
        if text.count == 1 { return text.first }
        guard text.first == " " else { return nil }
        let word = text.dropFirst()
        let units = ["second", "minute", "hour", "day", "week", "year"]
        return units.first { word == $0 || word == $0 + "s" }?.first
    }
}
