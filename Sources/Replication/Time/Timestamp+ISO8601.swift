extension Timestamp {
    /// Parses a date and time.
    ///
    /// - Parameter text: ISO 8601 with a date, optionally a time (after `T` or a space; seconds and
    ///   a fraction are optional), and optionally an offset (`Z`, `+01:00`, `+0100`, `+01`; the
    ///   default is UTC). Alternatively, a whole number of microseconds since 2001-01-01T00:00:00Z.
    ///   Fractions of a microsecond are truncated. Years with more than four digits need a sign.
    /// - Throws: ``ReplicationError``, `.invalidTimestamp` for other text, for dates that don't
    ///   exist, and for instants beyond the range of 64-bit microseconds (about 290,000 years).
    public init(parsing text: String) throws(ReplicationError) {
        if let microseconds = Int64(text) {
            self.init(microseconds: microseconds)
            return
        }
        var reader = InstantReader(Array(text.utf8.prefix(64)))
        guard text.utf8.count <= 64, let microseconds = reader.microseconds() else {
            throw ReplicationError(
                .invalidTimestamp,
                "\(text.prefix(64).quoted) is not a time: write it as "
                    + "2026-11-21T09:15:00.123456Z or as microseconds since 2001")
        }
        self.init(microseconds: microseconds)
    }

    /// The instant in UTC with six fractional digits, such as `2026-11-21T09:15:00.123456Z`.
    ///
    /// Years before 0 or after 9999 are written with a sign and six digits.
    public var iso8601: String {
        let perDay: Int64 = 86_400_000_000
        var day = microseconds / perDay
        var rest = microseconds % perDay
        if rest < 0 {
            rest += perDay
            day -= 1
        }
        let date = CivilDate(dayNumber: day)
        return String(unsafeUninitializedCapacity: 30) { buffer in
            var text = DigitWriter(buffer: buffer)
            if (0...9999).contains(date.year) {
                text.append(date.year, 4)
            } else {
                text.append(date.year < 0 ? "-" : "+")
                text.append(abs(date.year), 6)
            }
            text.append("-")
            text.append(date.month, 2)
            text.append("-")
            text.append(date.day, 2)
            text.append("T")
            text.append(rest / 3_600_000_000, 2)
            text.append(":")
            text.append(rest / 60_000_000 % 60, 2)
            text.append(":")
            text.append(rest / 1_000_000 % 60, 2)
            text.append(".")
            text.append(rest % 1_000_000, 6)
            text.append("Z")
            return text.count
        }
    }
}

/// Writes numbers of fixed width into a buffer that is large enough. The writer must be fast,
/// because lists of rows contain many dates.
private struct DigitWriter {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    mutating func append(_ sign: Unicode.Scalar) {
        buffer[count] = UInt8(ascii: sign)
        count += 1
    }

    /// Appends a number.
    ///
    /// - Parameter number: A nonnegative number with at most `width` digits.
    mutating func append(_ number: Int64, _ width: Int) {
        var rest = number
        for place in (count..<count + width).reversed() {
            buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        count += width
    }
}

/// A date of the proleptic Gregorian calendar.
struct CivilDate: Equatable {
    var year: Int64
    var month: Int64
    var day: Int64

    init?(year: Int64, month: Int64, day: Int64) {
        guard (-999_999...999_999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(of: month, year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    private static func length(of month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of days since 2001-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last day of a year. The first day
    /// of month m of a year counted this way is day (153 m + 2) / 5.
    var dayNumber: Int64 {
        let shifted = month > 2 ? year : year - 1
        let sinceMarch = (month + 9) % 12
        let leapDays = floored(shifted, 4) - floored(shifted, 100) + floored(shifted, 400)
        // 730,791 days lie between 0000-03-01 and 2001-01-01.
        return shifted * 365 + leapDays + (153 * sinceMarch + 2) / 5 + day - 1 - 730_791
    }

    init(dayNumber: Int64) {
        let sinceZero = dayNumber + 730_791
        let cycle = floored(sinceZero, 146_097)
        let dayOfCycle = sinceZero - cycle * 146_097
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear =
            dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
        let sinceMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * sinceMarch + 2) / 5 + 1
        month = (sinceMarch + 2) % 12 + 1
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
    }
}

/// Returns the quotient, rounded down.
private func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
    let quotient = number / divisor
    return number % divisor < 0 ? quotient - 1 : quotient
}

/// A parser of ISO 8601 from left to right.
private struct InstantReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func microseconds() -> Int64? {
        guard let date = date() else { return nil }
        var second: Int64 = 0
        var fraction: Int64 = 0
        var offset: Int64 = 0
        if !isAtEnd {
            guard take("T") || take("t") || take(" "), let hour = digits(2), take(":"),
                let minute = digits(2)
            else { return nil }
            second = hour * 3_600 + minute * 60
            guard hour < 24 || second == 86_400, minute < 60 else { return nil }
            if take(":") {
                // A leap second counts as the first second of the next minute.
                guard let extra = digits(2), extra <= 60, hour < 24 || extra == 0 else {
                    return nil
                }
                second += extra
                if take(".") || take(",") {
                    guard let read = self.fraction(), hour < 24 || read == 0 else { return nil }
                    fraction = read
                }
            }
            guard let read = self.offset() else { return nil }
            offset = read
        }
        guard isAtEnd else { return nil }
        // The number of seconds can't overflow here, but scaling it to microseconds may. The
        // earliest instant has a fraction: it is within the range, although the whole second before
        // it isn't.
        let seconds = date.dayNumber * 86_400 + second - offset
        let isBefore = seconds < 0
        let (scaled, tooFar) = (isBefore ? seconds + 1 : seconds)
            .multipliedReportingOverflow(by: 1_000_000)
        let (sum, over) = scaled.addingReportingOverflow(
            isBefore ? fraction - 1_000_000 : fraction)
        return tooFar || over ? nil : sum
    }

    private mutating func date() -> CivilDate? {
        var year: Int64?
        if take("+") {
            year = digits(6)
        } else if take("-") {
            year = digits(6).map { -$0 }
        } else {
            year = digits(4)
        }
        guard let year, take("-"), let month = digits(2), take("-"), let day = digits(2) else {
            return nil
        }
        return CivilDate(year: year, month: month, day: day)
    }

    private mutating func offset() -> Int64? {
        if isAtEnd || take("Z") || take("z") { return 0 }
        let sign: Int64 = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
        if isAtEnd { return sign * hours * 3_600 }
        _ = take(":")
        guard let minutes = digits(2), minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    /// Reads one or more digits after the point, as microseconds.
    private mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var unit: Int64 = 100_000
        let start = position
        while let digit = digit() {
            value += digit * unit
            unit /= 10
        }
        return position > start ? value : nil
    }

    private var isAtEnd: Bool { position == bytes.count }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else {
            return false
        }
        position += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard position < bytes.count, (48...57).contains(bytes[position]) else { return nil }
        position += 1
        return Int64(bytes[position - 1]) - 48
    }

    private mutating func digits(_ count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}
