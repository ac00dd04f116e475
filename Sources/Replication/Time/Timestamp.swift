public import Foundation

/// An instant as the store's rows record it: whole microseconds since 2001-01-01T00:00:00Z.
///
/// The epoch and the unit are PARStore 1's, so its rows keep their numbers.
///
/// A row's time lies within the years 1 to 9999 (``isRecordable``): what ISO 8601 writes with four
/// digits, all that a calendar of Foundation's shows, and far enough from the ends of `Int64` that
/// no sum or difference of two times overflows. So there is always a later time for the next
/// write, and a row with a time beyond, which a broken clock or a damaged file made, cannot take a
/// key from everybody for ever. Readers leave such rows out and say so; writers refuse them.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Microseconds since 2001-01-01T00:00:00Z, negative before.
    public let microseconds: Int64

    /// The instant that many microseconds after 2001-01-01T00:00:00Z; it may be one that no row can
    /// have.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Before every instant that a row can have; no row's own.
    public static let distantPast = Timestamp(microseconds: .min)
    /// After every instant that a row can have; no row's own.
    public static let distantFuture = Timestamp(microseconds: .max)

    /// The first instant that a row can have: 0001-01-01T00:00:00Z.
    public static let earliest = Timestamp(microseconds: -63_113_904_000_000_000)
    /// The last instant that a row can have: 9999-12-31T23:59:59.999999Z.
    public static let latest = Timestamp(microseconds: 252_423_993_599_999_999)

    /// The start of the last day that rows can have: 9999-12-31T00:00:00Z.
    ///
    /// After ``latest`` there is no later time. Among rows of this day, a row that names another as
    /// one that its writer had seen therefore wins over it, whatever their times.
    public static let lastDay = Timestamp(microseconds: latest.microseconds - 86_399_999_999)

    /// Whether a row can have this time: whether it lies within the years 1 to 9999.
    public var isRecordable: Bool { Self.isRecordable(microseconds) }

    /// Whether a row can have the time that a number of microseconds stands for.
    public static func isRecordable(_ microseconds: Int64) -> Bool {
        earliest.microseconds <= microseconds && microseconds <= latest.microseconds
    }

    /// What is said of a log with times that are not recordable.
    public static let unrecordableProblem =
        "it has times outside the years 1 to 9999, and what they stand at is left out: "
        + "look at its clock"

    /// The instant of `date`, truncated to microseconds and held to the range of `Int64`.
    public init(_ date: Date) {
        let scaled = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.towardZero)
        self.microseconds =
            Int64(exactly: scaled) ?? (scaled < 0 ? .min : scaled > 0 ? .max : 0)
    }

    /// The instant as a `Date`, whose `Double` of seconds may round the last microsecond.
    public var date: Date {
        Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000)
    }

    /// The next instant; the last one stays itself.
    public var successor: Timestamp {
        microseconds == .max ? self : Timestamp(microseconds: microseconds + 1)
    }

    /// Whether `lhs` is the earlier instant.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }

    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}
