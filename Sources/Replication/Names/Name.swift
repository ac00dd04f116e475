/// A name that is compared by its UTF-8 bytes only.
///
/// Swift's `String` treats canonically equivalent texts as equal, such as `é` as one character and
/// as a letter with a combining accent. File systems, SQLite, and other devices distinguish such
/// texts, and both spellings occur in practice. Use this type to compare the names of devices,
/// keys, blobs, entities, or properties, and to store such names in dictionaries and sets. Names
/// are ordered by their bytes.
///
/// As a property wrapper, it compares a `String` by its bytes in a type with a synthesized `==`:
///
/// ```swift
/// struct Row: Hashable { @Name var key: String }
/// ```
@propertyWrapper
public struct Name: Sendable {
    /// The text, which is compared by its bytes.
    public var wrappedValue: String

    /// Creates the name with the text `wrappedValue`, for use as a property wrapper.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }
    /// Creates the name with the given text.
    public init(_ text: String) { wrappedValue = text }

    /// The name's text. As a `String`, it is equal to canonically equivalent texts.
    public var text: String { wrappedValue }

    /// Whether the name is empty.
    public var isEmpty: Bool { text.isEmpty }

    /// Returns whether the bytes of this name start with those of `prefix`.
    public func hasPrefix(_ prefix: String) -> Bool { text.utf8.starts(with: prefix.utf8) }
}

extension Name: Hashable {
    /// Returns whether both names have the same bytes. Canonically equivalent texts may be
    /// different names.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.withBytes { lhs in
            rhs.withBytes { rhs in lhs.isEqual(to: rhs) }
        }
    }

    public func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
        // The terminator keeps "ab", "c" distinct from "a", "bc".
        hasher.combine(UInt8.max)
    }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension Name: Comparable {
    /// Returns whether `lhs` comes before `rhs` in the lexicographic order of their bytes.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.withBytes { lhs in
            rhs.withBytes { rhs in lhs.compare(to: rhs) < 0 }
        }
    }
}

extension Name: ExpressibleByStringLiteral {
    /// Creates the name that the literal spells.
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

    /// The coding key of this name, so that a dictionary of names is encoded as an object.
    public var codingKey: any CodingKey { Key(stringValue: text) }

    /// Creates the name from an object's key. The result is never `nil`.
    public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension Dictionary where Key == Name {
    /// Accesses the value of a name given as text, so that `dictionary["theme"]` works as with
    /// `String` keys.
    public subscript(name: String) -> Value? {
        get { self[Name(name)] }
        _modify { yield &self[Name(name)] }
    }

    /// Accesses the value of a name given as text, or `value` if there is none, as with `String`
    /// keys.
    public subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        get { self[Name(name)] ?? value() }
        _modify { yield &self[Name(name), default: value()] }
    }

    /// Works like `updateValue(_:forKey:)` with a ``Name``.
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey name: String) -> Value? {
        updateValue(value, forKey: Name(name))
    }

    /// Works like `removeValue(forKey:)` with a ``Name``.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> Value? {
        removeValue(forKey: Name(name))
    }

    /// Creates a dictionary with the same entries and names as keys. Of two canonically equivalent
    /// keys, `dictionary` can hold only one.
    public init(_ dictionary: [String: Value]) {
        self.init(minimumCapacity: dictionary.count)
        for (name, value) in dictionary { self[Name(name)] = value }
    }
}

extension Set where Element == Name {
    /// Returns whether the name with exactly these bytes is a member.
    public func contains(_ name: String) -> Bool { contains(Name(name)) }

    /// Inserts the name with the given text.
    ///
    /// - Returns: Whether the name was added; that is, whether no member had the same bytes.
    @discardableResult
    public mutating func insert(_ name: String) -> Bool { insert(Name(name)).inserted }
}

extension Collection where Element == Name {
    /// The names as text, in the same order.
    public var texts: [String] { map(\.text) }
}
