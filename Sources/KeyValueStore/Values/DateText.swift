/// ISO 8601 for the dates inside values: a `Double` of seconds, exactly.
enum DateText {
    /// Days from 1970-01-01 to 2001-01-01.
    private static let daysTo2001 = 11_323

    /// `seconds` as `2026-11-21T09:15:00.5Z`, with as many digits as tell it from its neighbours.
    ///
    /// - Returns: `nil` outside the years 1 to 9999, and where no decimal text gives it back.
    static func text(secondsSince2001 seconds: Double) -> String? {
        guard abs(seconds) < 64_000_000_000 else { return nil }
        let whole = seconds.rounded(.down)
        let fraction = seconds - whole
        let total = Int(whole)
        let days = (total >= 0 ? total : total - 86_399) / 86_400
        let second = total - days * 86_400
        let (year, month, day) = civil(days + daysTo2001)
        guard (1...9999).contains(year) else { return nil }
        let head =
            "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        guard fraction != 0 else {
            return seconds.sign == .minus && seconds == 0 ? nil : head + "Z"
        }
        var scale = 1.0
        for digits in 1...17 {
            scale *= 10
            let scaled = (fraction * scale).rounded()
            guard scaled < scale else { continue }
            let text = head + "." + padded(Int(scaled), digits) + "Z"
            if secondsSince2001(text) == seconds { return text }
        }
        return nil
    }

    /// Reads `YYYY-MM-DD`, or that with `THH:MM[:SS[.F]]` and `Z` or `±HH:MM`.
    ///
    /// - Returns: `nil` for anything else, days and hours that do not exist included.
    static func secondsSince2001(_ text: String) -> Double? {
        var rest = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int? {
            guard rest.count >= digits, rest.prefix(digits).allSatisfy(isDigit) else { return nil }
            defer { rest = rest.dropFirst(digits) }
            return rest.prefix(digits).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        func skip(_ character: Unicode.Scalar) -> Bool {
            guard let first = rest.first, UInt32(first) == character.value else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard let year = number(4), year >= 1, skip("-"), let month = number(2), skip("-"),
            let day = number(2), (1...12).contains(month),
            (1...length(of: month, in: year)).contains(day)
        else { return nil }
        let midnight = (days(year, month, day) - daysTo2001) * 86_400
        guard !rest.isEmpty else { return Double(midnight) }
        guard skip("T") || skip("t") || skip(" "), let hour = number(2), hour < 24, skip(":"),
            let minute = number(2), minute < 60
        else { return nil }
        var second = 0
        var fraction = 0.0
        if skip(":") {
            guard let seconds = number(2), seconds < 60 else { return nil }
            second = seconds
            if skip(".") || skip(",") {
                let digits = rest.prefix(while: isDigit)
                guard (1...17).contains(digits.count) else { return nil }
                rest = rest.dropFirst(digits.count)
                let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
                let scale = (0..<digits.count).reduce(1.0) { scale, _ in scale * 10 }
                fraction = Double(value) / scale
            }
        }
        var offset = 0
        if !(skip("Z") || skip("z")) {
            let sign = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = number(2), hours < 24 else { return nil }
            _ = skip(":")
            guard let minutes = number(2), minutes < 60 else { return nil }
            offset = sign * (hours * 3600 + minutes * 60)
        }
        guard rest.isEmpty else { return nil }
        return Double(midnight + hour * 3600 + minute * 60 + second - offset) + fraction
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days from 1970-01-01 to a day of the Gregorian calendar.
    ///
    /// Years are counted from March, so that the leap day is the last of its year.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear
            - 719_468
    }

    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // An estimate from the mean length of a year, off by one at most.
        var year = 1970 + days * 400 / 146_097
        while self.days(year + 1, 1, 1) <= days { year += 1 }
        while self.days(year, 1, 1) > days { year -= 1 }
        var month = 1
        while month < 12, self.days(year, month + 1, 1) <= days { month += 1 }
        return (year, month, days - self.days(year, month, 1) + 1)
    }
}
