public import Foundation

/// A step of a path in a document as a coding key: a key of a map, or an index of a list.
///
/// ```swift
/// let path = try AnyCodingKey.parsePath("agenda.[0].title")
/// let title = try AutomergeDecoder(doc: doc).decode(String.self, from: path)
/// ```
public struct AnyCodingKey: Hashable, Sendable {
    let prop: Prop

    /// The key or index of a step.
    public init(_ pathProperty: Prop) { prop = pathProperty }

    /// The key or index of a step, without the object that it starts from.
    public init(_ element: PathElement) { prop = element.prop }

    /// An index where `key` has a number that can be one, else its string.
    public init(_ key: some CodingKey) {
        if let number = key.intValue, let index = UInt64(exactly: number) {
            prop = .Index(index)
        } else {
            prop = .Key(key.stringValue)
        }
    }

    /// A key of a map.
    public init(_ stringVal: String) { prop = .Key(stringVal) }

    /// An index of a list.
    public init(_ intValue: UInt64) { prop = .Index(intValue) }

    /// The empty key, which stands for the root where a path must not be empty.
    public static let ROOT = AnyCodingKey(.Key(""))

    /// The index, where it is one.
    var index: UInt64? {
        if case .Index(let index) = prop { index } else { nil }
    }
}

extension AnyCodingKey: CodingKey {
    /// An index, or `nil` for a negative number.
    public init?(intValue: Int) {
        guard let index = UInt64(exactly: intValue) else { return nil }
        prop = .Index(index)
    }

    /// A key of a map; never `nil`, and never an index.
    public init?(stringValue: String) { prop = .Key(stringValue) }

    /// The key; of an index, its digits.
    public var stringValue: String {
        switch prop {
        case .Key(let key): key
        case .Index(let index): String(index)
        }
    }

    /// The index, where it is one that fits.
    public var intValue: Int? { index.flatMap { Int(exactly: $0) } }
}

extension AnyCodingKey: CustomStringConvertible {
    /// The key as it is, an index in brackets.
    public var description: String {
        switch prop {
        case .Key(let key): key
        case .Index(let index): "[\(index)]"
        }
    }
}

/// What is wrong with the text of a path.
public enum PathParseError: LocalizedError {
    /// An element that begins neither with a letter of ASCII nor with a bracket.
    case InvalidPathElement(String)
    /// Brackets without a number in them.
    case EmptyListIndex(String)

    public var errorDescription: String? {
        switch self {
        case .InvalidPathElement(let element):
            "'\(element)' is neither a key, which begins with a letter, nor an index as [0]"
        case .EmptyListIndex(let element): "'\(element)' has no index between its brackets"
        }
    }
}

extension AnyCodingKey {
    /// Reads a path as `list.[0].notes`: keys and bracketed indexes, separated by full stops.
    ///
    /// Empty elements are skipped, so that a leading full stop is allowed and the empty text is the
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
    /// The text of the path, as ``AnyCodingKey/parsePath(_:)`` reads it, with a leading full stop.
    public func stringPath() -> String { map { AnyCodingKey($0) }.stringPath() }
}

extension Sequence where Element == AnyCodingKey {
    /// The text of the path, as ``AnyCodingKey/parsePath(_:)`` reads it, with a leading full stop.
    public func stringPath() -> String { "." + map(\.description).joined(separator: ".") }
}

extension Sequence where Element == PathElement {
    /// The text of the path, as ``AnyCodingKey/parsePath(_:)`` reads it, with a leading full stop.
    public func stringPath() -> String { map { AnyCodingKey($0) }.stringPath() }
}
