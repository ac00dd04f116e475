public import Foundation

/// A value in the form that SQLite stores.
public enum SQLValue: Hashable, Sendable {
    /// No value.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob(Data)

    /// Whether the value is `NULL`.
    public var isNull: Bool { self == .null }

    /// The value as an SQL literal. Infinite numbers become literals that SQLite reads as infinite.
    public var literal: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number) where number.isInfinite: number < 0 ? "-9e999" : "9e999"
        case .real(let number): "\(number)"
        case .text(let text) where text.utf8.contains(0):
            "CAST(\(SQLValue.blob(Data(text.utf8)).literal) AS TEXT)"
        case .text(let text): "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        case .blob(let data): "X'\(data.map { String(format: "%02X", $0) }.joined())'"
        }
    }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// Creates `NULL`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates 1 for `true` and 0 for `false`.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension SQLValue: Comparable {
    /// Returns whether one value sorts before another in SQLite's order: `NULL`, numbers, text by
    /// its bytes, blobs.
    public static func < (left: SQLValue, right: SQLValue) -> Bool {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.integer(let a), .real(let b)): Double(a) < b
        case (.real(let a), .integer(let b)): a < Double(b)
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}

/// The declared type of a column.
public enum ColumnType: String, Hashable, Sendable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
}

/// A value that can't be stored, or a stored value that its property can't read.
struct InvalidValue: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}
