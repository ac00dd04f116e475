import Glibc

/// A name as the store knows it: bytes of UTF-8, and nothing else.
///
/// Swift's `String` calls two texts equal when they are canonically equivalent: `é` as one
/// character and as a letter with an accent after it. A file system, SQLite and the other devices
/// tell them apart, and a Mac and a Linux machine write both. So wherever a device, a key, a blob,
/// an entity or a property is the key of a dictionary, a member of a set or compared, this is its
/// type; the order is that of the bytes.
///
/// As a property wrapper it makes the synthesised `==` of a type compare a `String` in it so:
///
/// ```swift
/// struct Row: Hashable { @Name var key: String }
/// ```
@propertyWrapper
public struct Name: Sendable {
    /// The text that is compared by its bytes.
    public var wrappedValue: String

    /// The name spelled `wrappedValue`, for use as a property wrapper.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }
    /// The name spelled `text`.
    public init(_ text: String) { wrappedValue = text }

    /// The name's text. Compared as a `String`, it equals its other canonical spellings again.
    public var text: String { wrappedValue }

    /// Whether it has no byte.
    public var isEmpty: Bool { text.isEmpty }

    /// Whether the first bytes of this name are those of `prefix`.
    public func hasPrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}

extension Name: Hashable {
    /// Whether both have the same bytes. Canonically equivalent texts may differ.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withBytes { lhs in
            rhs.withBytes { rhs in
                guard lhs.count == rhs.count else { return false }
                guard let left = lhs.baseAddress, let right = rhs.baseAddress else { return true }
                return memcmp(left, right, lhs.count) == 0
            }
        }
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        // So that "ab" and "c" after one another are not "a" and "bc".
        hasher.combine(UInt8.max)
    }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension Name: Comparable {
    /// Whether the bytes of `lhs` come first in lexicographic order.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.withBytes { lhs in
            rhs.withBytes { rhs in
                let common = min(lhs.count, rhs.count)
                if common > 0, let left = lhs.baseAddress, let right = rhs.baseAddress {
                    let order = memcmp(left, right, common)
                    if order != 0 { return order < 0 }
                }
                return lhs.count < rhs.count
            }
        }
    }
}

extension Name: ExpressibleByStringLiteral {
    /// The name that the literal spells.
    public init(stringLiteral value: String) { self.init(value) }
}

extension Name: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { text }
    public var debugDescription: String { text.debugDescription }
}

extension Name: Codable, CodingKeyRepresentable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The key of this name, so that a dictionary of names is coded as an object.
    public var codingKey: any CodingKey { Key(stringValue: text) }

    /// The name of a key of an object; never `nil`.
    public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension Dictionary where Key == Name {
    /// The value of a name given as text, so that `dictionary["theme"]` reads as it would with
    /// `String` keys.
    public subscript(name: String) -> Value? {
        get { self[Name(name)] }
        _modify { yield &self[Name(name)] }
    }

    /// The value of a name given as text, or `value` where there is none, as with `String` keys.
    public subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        get { self[Name(name)] ?? value() }
        _modify { yield &self[Name(name), default: value()] }
    }

    /// As `updateValue(_:forKey:)` with a ``Name``.
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
        updateValue(value, forKey: Name(name))
    }

    /// As `removeValue(forKey:)` with a ``Name``.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> Value? {
        removeValue(forKey: Name(name))
    }

    /// The same entries under names; of two that are canonically equal `dictionary` holds one.
    public init(_ dictionary: [String: Value]) {
        self.init(minimumCapacity: dictionary.count)
        for (name, value) in dictionary { self[Name(name)] = value }
    }
}

extension Set where Element == Name {
    /// Whether the name that is spelled so, byte for byte, is a member.
    public func contains(_ name: String) -> Bool { contains(Name(name)) }

    /// Adds the name that is spelled so.
    ///
    /// - Returns: Whether it is new, byte for byte.
    @discardableResult
    public mutating func insert(_ name: String) -> Bool { insert(Name(name)).inserted }
}

extension Collection where Element == Name {
    /// The names as text, in their order.
    public var texts: [String] { map(\.text) }
}
