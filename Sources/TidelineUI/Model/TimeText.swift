import Replication

/// Times as a person reads and types them.
enum TimeText {
    static let examples = "2026-11-21T09:15:00, 09:15:00, -10m or microseconds"

    private static let microsecondsADay: Int64 = 86_400_000_000
    /// Days from the year 0 (March 1st) of the proleptic calendar to 2001-01-01.
    private static let epochDays = 730_791

    /// The age of an instant in two or three letters: `now`, `9s`, `2m`, `5h`, `3d`, `8w`, `2y`.
    /// An instant of the future is `+2h`.
    static func age(of instant: Timestamp, at now: Timestamp) -> String {
        let (difference, overflow) = now.microseconds.subtractingReportingOverflow(
            instant.microseconds)
        if overflow { return instant < now ? "∞" : "+∞" }
        let seconds = difference / 1_000_000
        if seconds <= 0 && difference > -2_000_000 { return "now" }
        let size = seconds.magnitude
        let text =
            switch size {
            case ..<60: "\(size)s"
            case ..<3_600: "\(size / 60)m"
            case ..<86_400: "\(size / 3_600)h"
            case ..<1_209_600: "\(size / 86_400)d"
            case ..<31_557_600: "\(size / 604_800)w"
            default: "\(size / 31_557_600)y"
            }
        return seconds < 0 ? "+" + text : text
    }

    /// `09:15:00`
    static func time(_ instant: Timestamp, offset: Int) -> String {
        String(text(instant, offset: offset).dropFirst(11).prefix(8))
    }

    /// `2026-11-21 09:15:00.123456`
    static func text(_ instant: Timestamp, offset: Int) -> String {
        let (shifted, overflow) = instant.microseconds.addingReportingOverflow(
            Int64(offset) * 1_000_000)
        if overflow { return instant.microseconds > 0 ? "end of time" : "start of time" }
        var (days, rest) = shifted.quotientAndRemainder(dividingBy: microsecondsADay)
        if rest < 0 {
            rest += microsecondsADay
            days -= 1
        }
        let (year, month, day) = date(fromDays: Int(days))
        let seconds = rest / 1_000_000
        let fraction = rest % 1_000_000
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2)) \(pad(Int(seconds / 3600), 2)):"
            + "\(pad(Int(seconds / 60 % 60), 2)):\(pad(Int(seconds % 60), 2)).\(pad(Int(fraction), 6))"
    }

    /// The instant that a text names: ISO 8601 (a date, or a date and a time with or without a
    /// zone), a time of today, an age (`-10m`), or microseconds since 2001-01-01T00:00:00Z.
    static func instant(in text: String, now: Timestamp, offset: Int) -> Timestamp? {
        if let age = age(in: text) {
            let (result, overflow) = now.microseconds.subtractingReportingOverflow(age)
            return overflow ? nil : Timestamp(microseconds: result)
        }
        if let number = Int64(text) { return Timestamp(microseconds: number) }
        var rest = text[...]
        var zone = offset
        if rest.last == "Z" || rest.last == "z" {
            zone = 0
            rest.removeLast()
        } else if rest.count > 16, let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }),
            let time = rest.firstIndex(where: { $0 == "T" || $0 == " " }), sign > time
        {
            let digits = rest[rest.index(after: sign)...].filter { $0 != ":" }
            guard digits.count == 4 || digits.count == 2, let value = Int(digits) else {
                return nil
            }
            let seconds =
                digits.count == 2 ? value * 3600 : (value / 100 * 60 + value % 100) * 60
            zone = rest[sign] == "-" ? -seconds : seconds
            rest = rest[..<sign]
        }
        let halves = rest.split(whereSeparator: { $0 == "T" || $0 == " " })
        guard let first = halves.first, halves.count <= 2 else { return nil }
        let days: Int
        let time: Substring?
        if first.contains("-") {
            let parts = first.split(separator: "-").map { Int($0) ?? -1 }
            guard parts.count == 3, (1...9999).contains(parts[0]), (1...12).contains(parts[1]),
                (1...31).contains(parts[2])
            else { return nil }
            days = self.days(year: parts[0], month: parts[1], day: parts[2])
            time = halves.count == 2 ? halves[1] : nil
        } else {
            guard halves.count == 1, first.contains(":") else { return nil }
            let (shifted, overflow) = now.microseconds.addingReportingOverflow(
                Int64(offset) * 1_000_000)
            if overflow { return nil }
            days = Int((Double(shifted) / Double(microsecondsADay)).rounded(.down))
            time = first
        }
        guard let microseconds = time.map(timeOfDay) ?? 0 else { return nil }
        return Timestamp(
            microseconds: Int64(days) * microsecondsADay + microseconds - Int64(zone) * 1_000_000)
    }

    private static func age(in text: String) -> Int64? {
        guard text.first == "-", let unit = text.last,
            let number = Int64(text.dropFirst().dropLast()),
            number >= 0
        else { return nil }
        let seconds: Int64? =
            switch unit {
            case "s": 1
            case "m": 60
            case "h": 3_600
            case "d": 86_400
            case "w": 604_800
            default: nil
            }
        guard let seconds else { return nil }
        let (result, overflow) = number.multipliedReportingOverflow(by: seconds * 1_000_000)
        return overflow ? nil : result
    }

    private static func timeOfDay(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":")
        guard (2...3).contains(parts.count), let hour = Int64(parts[0]), (0...23).contains(hour),
            let minute = Int64(parts[1]), (0...59).contains(minute)
        else { return nil }
        var result = (hour * 60 + minute) * 60 * 1_000_000
        guard parts.count == 3 else { return result }
        let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(seconds.count), let whole = Int64(seconds[0]),
            (0...60).contains(whole)
        else { return nil }
        result += whole * 1_000_000
        if seconds.count == 2 {
            let digits = seconds[1].prefix(6)
            guard let fraction = Int64(digits), fraction >= 0 else { return nil }
            result += (digits.count..<6).reduce(fraction) { value, _ in value * 10 }
        }
        return result
    }

    /// The calendar's date of a day counted from 2001-01-01. The calendar repeats every 400 years
    /// of 146,097 days; a year that begins in March has its leap day at its end.
    private static func date(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let count = days + epochDays
        let era = (count >= 0 ? count : count - 146_096) / 146_097
        let dayOfEra = count - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - epochDays
    }

    private static func pad(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return text.count >= width ? text : String(repeating: "0", count: width - text.count) + text
    }
}
