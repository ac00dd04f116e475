public import Foundation

/// An instant as the store's rows record it: whole microseconds since 2001-01-01T00:00:00Z.
///
/// The epoch and the unit are PARStore 1's, so its rows keep their numbers.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    public let microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// Before every instant that a row can have.
    public static let distantPast = Timestamp(microseconds: .min)
    /// After every instant that a row can have.
    public static let distantFuture = Timestamp(microseconds: .max)

    /// The instant of `date`, truncated to microseconds and held to the range of `Int64`.
    public init(_ date: Date) {
        let scaled = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded(.towardZero)
        self.microseconds =
            Int64(exactly: scaled) ?? (scaled < 0 ? .min : scaled > 0 ? .max : 0)
    }

    public var date: Date {
        Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000)
    }

    /// The next instant; the last one stays itself.
    public var successor: Timestamp {
        microseconds == .max ? self : Timestamp(microseconds: microseconds + 1)
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }

    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}
