public import Foundation

/// The start and unit of a numeric timestamp.
public enum Epoch: String, Hashable, Sendable, CaseIterable, Codable {
    case unixSeconds = "unix"
    case unixMilliseconds = "unix-ms"
    case unixMicroseconds = "unix-us"
    case unixNanoseconds = "unix-ns"
    /// Seconds since 2001, as in Apple's frameworks.
    case seconds2001 = "2001"
    /// Microseconds since 2001, as in the logs of PARStore and of store packages.
    case microseconds2001 = "2001-us"
    /// Nanoseconds since 2001, as in the database of Apple's Messages.
    case nanoseconds2001 = "2001-ns"
    /// Days since noon of 24 November 4714 BC, as in SQLite's `julianday`.
    case julianDay = "julian"
    /// Microseconds since 1601, as in Chromium and Windows.
    case microseconds1601 = "1601-us"

    /// The name for display.
    public var title: String {
        switch self {
        case .unixSeconds: "Unix seconds"
        case .unixMilliseconds: "Unix milliseconds"
        case .unixMicroseconds: "Unix microseconds"
        case .unixNanoseconds: "Unix nanoseconds"
        case .seconds2001: "seconds since 2001"
        case .microseconds2001: "microseconds since 2001"
        case .nanoseconds2001: "nanoseconds since 2001"
        case .julianDay: "Julian days"
        case .microseconds1601: "microseconds since 1601"
        }
    }

    private var unit: Double {
        switch self {
        case .unixSeconds, .seconds2001: 1
        case .unixMilliseconds: 1e-3
        case .unixMicroseconds, .microseconds2001, .microseconds1601: 1e-6
        case .unixNanoseconds, .nanoseconds2001: 1e-9
        case .julianDay: 86_400
        }
    }

    /// The start of the epoch, in seconds since 1970.
    private var start: Double {
        switch self {
        case .unixSeconds, .unixMilliseconds, .unixMicroseconds, .unixNanoseconds: 0
        case .seconds2001, .microseconds2001, .nanoseconds2001: 978_307_200
        case .julianDay: -210_866_760_000
        case .microseconds1601: -11_644_473_600
        }
    }

    /// Returns the instant of a number; `nil` outside the years 1 to 9999.
    public func date(_ number: Double) -> Date? {
        let seconds = number * unit + start
        guard seconds.isFinite, (-62_135_596_800...253_402_300_799).contains(seconds) else {
            return nil
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Returns the number for an instant. It is an integer if the unit is smaller than a second.
    public func value(_ date: Date) -> TableValue {
        let number = (date.timeIntervalSince1970 - start) / unit
        switch self {
        case .seconds2001, .julianDay: return .real(number)
        case .unixSeconds, .unixMilliseconds, .unixMicroseconds, .unixNanoseconds,
            .microseconds2001, .nanoseconds2001, .microseconds1601:
            return Int64(exactly: number.rounded()).map { .integer($0) } ?? .real(number)
        }
    }

    /// Returns the number to compare other numbers with. Unlike ``value(_:)``, it isn't rounded to
    /// the unit, but to microseconds.
    public func limit(_ date: Date) -> TableValue {
        let microseconds = unit * 1_000_000
        guard microseconds > 1 else { return value(date) }
        let number = (date.timeIntervalSince1970 - start) / unit
        return .real((number * microseconds).rounded() / microseconds)
    }

    /// Returns the instant of a value; `nil` if the value isn't a number.
    public func date(_ value: TableValue) -> Date? {
        switch value {
        case .integer(let number): date(Double(number))
        case .real(let number): date(number)
        default: nil
        }
    }

    /// Whether the column's name or type suggests dates.
    public static func canBeGuessed(for column: ColumnSchema) -> Bool {
        column.isDate || isNamedForDates(column.name)
    }

    /// Guesses the epoch of a column. The column's name or type must suggest dates, and all numbers
    /// must fall between 1990 and 2050.
    ///
    /// - Parameter values: Some values of the column. Zero and `NULL` are ignored.
    public static func guess(column: ColumnSchema, values: some Sequence<TableValue>) -> Epoch? {
        guard canBeGuessed(for: column) else { return nil }
        var numbers: [Double] = []
        for value in values {
            switch value {
            case .integer(0), .real(0), .null: continue
            case .integer(let number): numbers.append(Double(number))
            case .real(let number): numbers.append(number)
            default: return nil
            }
        }
        guard !numbers.isEmpty else { return nil }
        return allCases.first { epoch in numbers.allSatisfy { epoch.range.contains($0) } }
    }

    /// The range of numbers that are read in this epoch. For example, numbers that would be Unix
    /// seconds before 1999 are read as seconds since 2001.
    private var range: ClosedRange<Double> {
        switch self {
        case .unixSeconds: return 940_000_000...2_524_608_000
        // 2004 to 2030. Smaller numbers can be days.
        case .seconds2001: return 100_000_000...939_999_999
        case .unixMicroseconds: return 940_000_000_000_000...2_524_608_000_000_000
        case .microseconds2001: return 100_000_000_000_000...939_999_999_999_999
        case .unixNanoseconds: return 940_000_000_000_000_000...2_524_608_000_000_000_000
        case .nanoseconds2001:
            let end: Double = 940_000_000_000_000_000
            return 100_000_000_000_000_000...end.nextDown
        default: return (631_152_000 - start) / unit...(2_524_608_000 - start) / unit
        }
    }

    private static func isNamedForDates(_ name: String) -> Bool {
        if name.hasSuffix("At") || name.hasSuffix("On") { return true }
        let name = name.lowercased()
        let words = [
            "date", "time", "created", "modified", "updated", "visited", "expires", "since",
        ]
        return words.contains { name.contains($0) } || name.hasSuffix("_at")
            || name.hasSuffix("_on") || ["at", "ts", "when"].contains(name)
    }
}
