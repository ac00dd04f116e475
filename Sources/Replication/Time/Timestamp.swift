public import Foundation

/// An instant as the store's rows record it: whole microseconds since 2001-01-01T00:00:00Z.
///
/// The epoch and the unit are the same as in PARStore 1, so its rows keep their numbers.
///
/// A row's time lies within the years 1 to 9999 (``isRecordable``). ISO 8601 writes these years
/// with four digits, Foundation's calendars support them, and no sum or difference of two such
/// times overflows an `Int64`. So there is always a later time for the next write. Otherwise, a
/// broken clock or a damaged file could create a row that wins forever. Readers leave out rows
/// with other times and report them; writers refuse other times.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Microseconds since 2001-01-01T00:00:00Z, negative before.
    public let microseconds: Int64

    /// Creates the instant that many microseconds after 2001-01-01T00:00:00Z. It may be outside the
    /// range that rows can record.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// The instant before all times that a row can have. No row has this time.
    public static let distantPast = Timestamp(microseconds: .min)
    /// The instant after all times that a row can have. No row has this time.
    public static let distantFuture = Timestamp(microseconds: .max)

    /// The earliest instant that a row can have: 0001-01-01T00:00:00Z.
    public static let earliest = Timestamp(microseconds: -63_113_904_000_000_000)
    /// The latest instant that a row can have: 9999-12-31T23:59:59.999999Z.
    public static let latest = Timestamp(microseconds: 252_423_993_599_999_999)

    /// The start of the last day that rows can have: 9999-12-31T00:00:00Z.
    ///
    /// No time follows ``latest``. On this day, a row therefore wins over its causal parents
    /// regardless of the times.
    public static let lastDay = Timestamp(microseconds: latest.microseconds - 86_399_999_999)

    /// Whether a row can have this time; that is, whether it lies within the years 1 to 9999.
    public var isRecordable: Bool { Self.isRecordable(microseconds) }

    /// Returns whether a row can have the time with that number of microseconds.
    public static func isRecordable(_ microseconds: Int64) -> Bool {
        earliest.microseconds <= microseconds && microseconds <= latest.microseconds
    }

    /// The problem reported for a log with times that aren't recordable.
    public static let unrecordableProblem =
        "rows with times outside the years 1 to 9999 are left out: "
        + "check the clock of the device"

    /// Creates the instant of `date`, truncated to microseconds and clamped to the range of
    /// `Int64`.
    public init(_ date: Date) {
        let scaled = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.towardZero)
        self.microseconds =
            Int64(exactly: scaled) ?? (scaled < 0 ? .min : scaled > 0 ? .max : 0)
    }

    /// The instant as a `Date`, whose `Double` of seconds may round the last microsecond.
    public var date: Date {
        Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000)
    }

    /// The next instant. The last instant is its own successor.
    public var successor: Timestamp {
        microseconds == .max ? self : Timestamp(microseconds: microseconds + 1)
    }

    /// Returns whether `lhs` is earlier than `rhs`.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }

    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}
