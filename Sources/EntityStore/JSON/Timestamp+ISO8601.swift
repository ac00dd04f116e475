import Replication

/// ISO 8601 in UTC, to the microsecond, by the proleptic Gregorian calendar.
///
/// Written here rather than with a formatter: an export of a million values needs it fast, and
/// fractions of seconds must come back as they were.
extension Timestamp {
    /// Microseconds from 1970-01-01 to 2001-01-01.
    private static let epoch: Int64 = 978_307_200_000_000
    private static let day: Int64 = 86_400_000_000

    /// `2026-11-21T09:15:00Z`, with six digits of a second's fraction where there is one. Years
    /// beyond four digits have a sign.
    var iso8601: String {
        // Dividing before adding keeps the ends of the range from overflowing.
        var days = microseconds / Self.day
        var rest = microseconds % Self.day
        if rest < 0 {
            rest += Self.day
            days -= 1
        }
        days += Self.epoch / Self.day
        let (year, month, dayOfMonth) = Self.civil(days)
        let seconds = rest / 1_000_000
        let fraction = rest % 1_000_000
        var text: [UInt8] = []
        text.reserveCapacity(27)
        if !(0...9999).contains(year) { text.append(UInt8(ascii: year < 0 ? "-" : "+")) }
        Self.append(abs(year), digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(month, digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(dayOfMonth, digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.append(seconds / 3600, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(seconds / 60 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(seconds % 60, digits: 2, to: &text)
        if fraction != 0 {
            text.append(UInt8(ascii: "."))
            Self.append(fraction, digits: 6, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// An instant with a time zone (`Z` or an offset). `nil` also for an instant that is no whole
    /// number of microseconds, as it could not be kept.
    init?(iso8601 text: String) {
        var scanner = Scanner(bytes: Array(text.utf8))
        let sign: Int64 = scanner.take("-") ? -1 : 1
        let isLong = sign < 0 || scanner.take("+")
        guard let year = scanner.number(digits: isLong ? 4...6 : 4...4), scanner.take("-"),
            let month = scanner.number(digits: 2...2), (1...12).contains(month),
            scanner.take("-"), let day = scanner.number(digits: 2...2), day >= 1,
            scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(digits: 2...2), hour < 24, scanner.take(":"),
            let minute = scanner.number(digits: 2...2), minute < 60, scanner.take(":"),
            let second = scanner.number(digits: 2...2), second < 60
        else { return nil }
        var fraction: Int64 = 0
        if scanner.take(".") || scanner.take(",") {
            guard let value = scanner.fraction() else { return nil }
            fraction = value
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        let days = Self.days(year: sign * year, month: month, day: day)
        guard Self.civil(days) == (sign * year, month, day) else { return nil }
        let seconds = (days - Self.epoch / Self.day) * 86_400 + hour * 3600 + minute * 60 + second
        let (scaled, overflow) = (seconds - offset).multipliedReportingOverflow(by: 1_000_000)
        let (sum, more) = scaled.addingReportingOverflow(fraction)
        guard !overflow, !more else { return nil }
        self.init(microseconds: sum)
    }

    private static func append(_ value: Int64, digits: Int, to text: inout [UInt8]) {
        let start = text.count
        var rest = value
        var written = 0
        while rest > 0 || written < digits {
            text.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
            written += 1
        }
        text[start...].reverse()
    }

    /// The date of a day counted from 1970-01-01. Years are taken from March, so that the leap day
    /// is the last of its year, and in eras of 400 years, which all have 146,097 days.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
                return false
            }
            position += 1
            return true
        }

        private mutating func digit() -> Int64? {
            guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else {
                return nil
            }
            position += 1
            return Int64(bytes[position - 1] - 0x30)
        }

        mutating func number(digits: ClosedRange<Int>) -> Int64? {
            var value: Int64 = 0
            var count = 0
            while count < digits.upperBound, let digit = digit() {
                value = value * 10 + digit
                count += 1
            }
            return digits.contains(count) ? value : nil
        }

        /// Microseconds; digits beyond the sixth must be zeros.
        mutating func fraction() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while let digit = digit() {
                count += 1
                if count <= 6 { value = value * 10 + digit } else if digit != 0 { return nil }
            }
            guard count > 0 else { return nil }
            for _ in stride(from: count, to: 6, by: 1) { value *= 10 }
            return value
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int64? {
            if take("Z") || take("z") { return 0 }
            let sign: Int64 = take("-") ? -1 : 1
            guard sign < 0 || take("+"), let hours = number(digits: 2...2), hours < 24 else {
                return nil
            }
            _ = take(":")
            guard let minutes = number(digits: 2...2), minutes < 60 else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
