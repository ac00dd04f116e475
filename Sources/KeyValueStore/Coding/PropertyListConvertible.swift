public import Foundation
public import Replication

/// A type whose values are stored as one kind of ``PropertyList``.
///
/// Text, numbers, booleans, dates, data, URLs, and UUIDs conform, and so do arrays of these types
/// and dictionaries of them keyed by `String`. Your own types can also conform. For `Codable`
/// types, use ``KeyValueStore/set(encoding:forKey:ifNewestIs:)``.
public protocol PropertyListConvertible {
    /// The value to store.
    var propertyList: PropertyList { get }
}

extension PropertyList {
    /// Creates a value from a Swift value.
    ///
    /// ```swift
    /// let list = [PropertyList(title), PropertyList(count)]
    /// ```
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public init(_ value: some PropertyListConvertible) { self = value.propertyList }
}

extension PropertyList: PropertyListConvertible {
    public var propertyList: PropertyList { self }
}

extension String: PropertyListConvertible {
    public var propertyList: PropertyList { .string(self) }
}

extension Int: PropertyListConvertible {
    public var propertyList: PropertyList { .integer(Int64(self)) }
}

extension Int64: PropertyListConvertible {
    public var propertyList: PropertyList { .integer(self) }
}

extension Int32: PropertyListConvertible {
    public var propertyList: PropertyList { .integer(Int64(self)) }
}

extension UInt: PropertyListConvertible {
    public var propertyList: PropertyList { PropertyList(unsigned: UInt64(self)) }
}

extension UInt64: PropertyListConvertible {
    public var propertyList: PropertyList { PropertyList(unsigned: self) }
}

extension UInt32: PropertyListConvertible {
    public var propertyList: PropertyList { .integer(Int64(self)) }
}

extension Double: PropertyListConvertible {
    public var propertyList: PropertyList { .real(self) }
}

extension Float: PropertyListConvertible {
    public var propertyList: PropertyList { .real(Double(self)) }
}

extension Bool: PropertyListConvertible {
    public var propertyList: PropertyList { .boolean(self) }
}

extension Date: PropertyListConvertible {
    public var propertyList: PropertyList { .date(self) }
}

extension Data: PropertyListConvertible {
    public var propertyList: PropertyList { .data(self) }
}

/// Stored as text, which ``KeyValueStore/url(forKey:)`` reads.
extension URL: PropertyListConvertible {
    public var propertyList: PropertyList { .string(absoluteString) }
}

/// Stored as text, which ``KeyValueStore/uuid(forKey:)`` reads.
extension UUID: PropertyListConvertible {
    public var propertyList: PropertyList { .string(uuidString) }
}

extension Array: PropertyListConvertible where Element: PropertyListConvertible {
    public var propertyList: PropertyList { .array(map(\.propertyList)) }
}

extension Dictionary: PropertyListConvertible
where Key == String, Value: PropertyListConvertible {
    public var propertyList: PropertyList {
        .dictionary([Name: PropertyList](mapValues(\.propertyList)))
    }
}

extension KeyValueStore {
    /// Sets the value of `key` to a Swift value, or removes the key with `nil`.
    ///
    /// ```swift
    /// let title = "Groceries"
    /// try store.set(title, forKey: "note/1/title")
    /// ```
    ///
    /// - Throws: As ``set(_:forKey:ifNewestIs:)`` for a ``PropertyList``.
    /// - Complexity: O(*n*) in the size of the value, and a look-up. No file is accessed.
    public func set<Value: PropertyListConvertible>(
        _ value: Value?, forKey key: String, ifNewestIs seen: Timestamp?? = nil
    ) throws(KeyValueError) {
        let value: PropertyList? = value?.propertyList
        try set(value, forKey: key, ifNewestIs: seen)
    }

    /// Sets or removes (`nil`) many keys given as text, with one timestamp, as one transaction and
    /// one event.
    ///
    /// Swift compares `String` keys by canonical equivalence. To write two canonically equal keys
    /// in one call, use ``set(contentsOf:ifNewestAre:)`` with ``Name`` keys.
    ///
    /// - Returns: As ``set(contentsOf:ifNewestAre:)``.
    /// - Throws: As ``set(contentsOf:ifNewestAre:)``. In that case, nothing changes.
    @discardableResult
    public func set<Value: PropertyListConvertible>(
        contentsOf values: [String: Value?]
    ) throws(KeyValueError) -> Timestamp? {
        let named: [Name: PropertyList?] = Dictionary(values.mapValues { $0?.propertyList })
        return try set(contentsOf: named)
    }

    /// Sets or removes (`nil`) many keys to Swift values of different types, with one timestamp, as
    /// one transaction and one event.
    ///
    /// ```swift
    /// try store.set(contentsOf: ["note/1/title": title, "note/1/due": due])
    /// ```
    ///
    /// - Returns: As ``set(contentsOf:ifNewestAre:)``.
    /// - Throws: As ``set(contentsOf:ifNewestAre:)``. In that case, nothing changes.
    @_disfavoredOverload
    @discardableResult
    public func set(
        contentsOf values: [String: (any PropertyListConvertible)?]
    ) throws(KeyValueError) -> Timestamp? {
        let named: [Name: PropertyList?] = Dictionary(values.mapValues { $0?.propertyList })
        return try set(contentsOf: named)
    }

    /// Returns all keys, as text, with their values at one instant.
    ///
    /// Without a type annotation, `dictionary(prefix:)` returns ``Name`` keys, which compare by
    /// bytes. If two keys are canonically equal, this method returns only the last in byte order.
    ///
    /// ```swift
    /// let values: [String: PropertyList] = store.dictionary()
    /// ```
    ///
    /// - Complexity: O(*n*) in the bytes of these keys and values, all of which are decoded, and
    ///   O(*k* log *k*) in the number of keys.
    @_disfavoredOverload
    public func dictionary(prefix: String = "") -> [String: PropertyList] {
        let named: [Name: PropertyList] = dictionary(prefix: prefix)
        let sorted = named.sorted { $0.key < $1.key }
        return Dictionary(sorted.map { ($0.key.text, $0.value) }) { $1 }
    }
}

extension KeyValueStore.Transaction {
    /// Sets the value of `key` to a Swift value, or removes the key with `nil`.
    ///
    /// - Throws: As ``set(_:forKey:)`` for a ``PropertyList``.
    public mutating func set<Value: PropertyListConvertible>(
        _ value: Value?, forKey key: String
    ) throws(KeyValueError) {
        let value: PropertyList? = value?.propertyList
        try set(value, forKey: key)
    }
}
