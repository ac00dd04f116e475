public import Foundation
import GRDB

/// A value in the form that SQLite stores, regardless of its column's declared type.
public enum TableValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// The bytes of a text that isn't UTF-8. For a database that stores UTF-16, this is a text with
    /// lone surrogates, in generalized UTF-8.
    case malformedText(Data)
    case blob(Data)
    /// A value that was not loaded because it exceeds the caller's limit, with its byte count if
    /// SQLite knows it without loading the value.
    case unread(isText: Bool, byteCount: Int?)

    /// The type name that SQLite's `typeof` returns.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .real: "real"
        case .text, .malformedText, .unread(isText: true, _): "text"
        case .blob, .unread(isText: false, _): "blob"
        }
    }

    /// Whether the value itself was loaded.
    public var isLoaded: Bool { if case .unread = self { false } else { true } }

    /// The approximate number of bytes that the value takes in memory.
    var cost: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .blob(let data), .malformedText(let data): data.count
        case .null, .integer, .real, .unread: 16
        }
    }

    /// Returns the number as displayed text. SQLite has no literal for infinity.
    public static func words(for number: Double) -> String {
        number.isFinite ? "\(number)" : number.isNaN ? "NaN" : number < 0 ? "-Inf" : "Inf"
    }

    /// The value as a statement argument; `nil` if it was not loaded or isn't UTF-8.
    var argument: DatabaseValue? {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let data): data.databaseValue
        case .malformedText, .unread: nil
        }
    }

    /// Returns whether both values have the same type and content. Text is compared byte by byte.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        case (.malformedText(let a), .malformedText(let b)): a == b
        case (.unread(let a, let n), .unread(let b, let m)): a == b && n == m
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number.bitPattern)
        case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .blob(let data), .malformedText(let data): hasher.combine(data)
        case .unread(let isText, let count):
            hasher.combine(isText)
            hasher.combine(count)
        }
    }
}
