public import Foundation

/// A coding key for one element of a path in a document: a map key or a list index.
///
/// ```swift
/// let path = try AnyCodingKey.parsePath("agenda.[0].title")
/// let title = try AutomergeDecoder(doc: doc).decode(String.self, from: path)
/// ```
public struct AnyCodingKey: Hashable, Sendable {
    let prop: Prop

    /// Creates a coding key from a map key or a list index.
    public init(_ pathProperty: Prop) { prop = pathProperty }

    /// Creates a coding key from the map key or list index of a path element.
    public init(_ element: PathElement) { prop = element.prop }

    /// Creates an index if `key` has an integer value that is a valid index, otherwise a map key.
    public init(_ key: some CodingKey) {
        if let number = key.intValue, let index = UInt64(exactly: number) {
            prop = .Index(index)
        } else {
            prop = .Key(key.stringValue)
        }
    }

    /// Creates a map key.
    public init(_ stringVal: String) { prop = .Key(stringVal) }

    /// Creates a list index.
    public init(_ intValue: UInt64) { prop = .Index(intValue) }

    /// The empty key, which represents the root in paths that must not be empty.
    public static let ROOT = AnyCodingKey(.Key(""))

    /// The list index, or `nil` for a map key.
    var index: UInt64? {
        if case .Index(let index) = prop { index } else { nil }
    }
}

extension AnyCodingKey: CodingKey {
    /// Creates a list index, or returns `nil` for a negative number.
    public init?(intValue: Int) {
        guard let index = UInt64(exactly: intValue) else { return nil }
        prop = .Index(index)
    }

    /// Creates a map key, even if the text is a number. Never returns `nil`.
    public init?(stringValue: String) { prop = .Key(stringValue) }

    /// The map key, or the digits of the index.
    public var stringValue: String {
        switch prop {
        case .Key(let key): key
        case .Index(let index): String(index)
        }
    }

    /// The list index, or `nil` for a map key or an index that doesn't fit in an `Int`.
    public var intValue: Int? { index.flatMap { Int(exactly: $0) } }
}

extension AnyCodingKey: CustomStringConvertible {
    /// The map key, or the index in brackets.
    public var description: String {
        switch prop {
        case .Key(let key): key
        case .Index(let index): "[\(index)]"
        }
    }
}

/// An error in the text of a path.
public enum PathParseError: LocalizedError {
    /// An element that starts with neither an ASCII letter nor a bracket.
    case InvalidPathElement(String)
    /// Brackets that don't contain a number.
    case EmptyListIndex(String)

    public var errorDescription: String? {
        switch self {
        case .InvalidPathElement(let element):
            "'\(element)' is neither a key, which starts with a letter, nor an index such as [0]"
        case .EmptyListIndex(let element): "'\(element)' has no index between its brackets"
        }
    }
}

extension AnyCodingKey {
    /// Parses a path such as `list.[0].notes`: keys and bracketed indexes, separated by periods.
    ///
    /// Skips empty elements. A leading period is therefore allowed, and the empty string is the
    /// root.
    ///
    /// - Throws: ``PathParseError``.
    public static func parsePath(_ path: String) throws -> [AnyCodingKey] {
        try path.split(separator: ".").map { element in
            if let first = element.utf8.first, isLetter(first) {
                return AnyCodingKey(String(element))
            }
            guard element.count >= 2, element.first == "[", element.last == "]" else {
                throw PathParseError.InvalidPathElement(String(element))
            }
            guard let index = UInt64(element.dropFirst().dropLast()) else {
                throw PathParseError.EmptyListIndex(String(element))
            }
            return AnyCodingKey(index)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

extension Sequence where Element == any CodingKey {
    /// Returns the path as text, in the syntax of ``AnyCodingKey/parsePath(_:)`` and with a leading
    /// period.
    public func stringPath() -> String { map { AnyCodingKey($0) }.stringPath() }
}

extension Sequence where Element == AnyCodingKey {
    /// Returns the path as text, in the syntax of ``AnyCodingKey/parsePath(_:)`` and with a leading
    /// period.
    public func stringPath() -> String { "." + map(\.description).joined(separator: ".") }
}

extension Sequence where Element == PathElement {
    /// Returns the path as text, in the syntax of ``AnyCodingKey/parsePath(_:)`` and with a leading
    /// period.
    public func stringPath() -> String { map { AnyCodingKey($0) }.stringPath() }
}
