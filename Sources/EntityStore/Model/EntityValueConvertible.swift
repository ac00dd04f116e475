public import Foundation
public import Replication

/// A type whose values are stored as one kind of ``EntityValue``.
///
/// Text, numbers, booleans, dates, data, URLs, UUIDs, and references conform, and so do arrays of
/// these types and dictionaries of them keyed by `String`. Your own types can also conform. For
/// `Codable` types, use ``EntityStore/save(_:)``.
public protocol EntityValueConvertible {
    /// The value to store.
    var entityValue: EntityValue { get }
}

extension EntityValue {
    /// Creates a value from a Swift value.
    ///
    /// ```swift
    /// let name = "Anna"
    /// try await store.add([(.new("person"), ["name": EntityValue(name)])])
    /// ```
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public init(_ value: some EntityValueConvertible) { self = value.entityValue }

    /// Returns the date of the nearest microsecond.
    public static func date(_ date: Date) -> Self { .date(Timestamp(date)) }
}

extension PropertyDictionary {
    /// Creates properties from Swift values, with default semantic types.
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    public init(_ values: [String: some EntityValueConvertible]) {
        self.init(values.mapValues(\.entityValue))
    }

    /// Creates properties from values, with default semantic types.
    ///
    /// ```swift
    /// PropertyDictionary(["name": "Anna", "age": 21])
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    public init(_ values: [String: EntityValue]) {
        self.init()
        // In the order of keys, each property is added at the end.
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (key, value) in sorted { self[value: key] = value }
    }

    /// Creates properties from Swift values of different types, with default semantic types.
    ///
    /// ```swift
    /// PropertyDictionary(["name": name, "born": year])
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of properties.
    @_disfavoredOverload
    public init(_ values: [String: any EntityValueConvertible]) {
        self.init(values.mapValues(\.entityValue))
    }
}

extension EntityValue: EntityValueConvertible {
    public var entityValue: EntityValue { self }
}

extension String: EntityValueConvertible {
    public var entityValue: EntityValue { .string(self) }
}

extension Int: EntityValueConvertible {
    public var entityValue: EntityValue { .integer(Int64(self)) }
}

extension Int64: EntityValueConvertible {
    public var entityValue: EntityValue { .integer(self) }
}

extension Int32: EntityValueConvertible {
    public var entityValue: EntityValue { .integer(Int64(self)) }
}

extension UInt32: EntityValueConvertible {
    public var entityValue: EntityValue { .integer(Int64(self)) }
}

extension Double: EntityValueConvertible {
    public var entityValue: EntityValue { .double(self) }
}

extension Float: EntityValueConvertible {
    public var entityValue: EntityValue { .double(Double(self)) }
}

extension Bool: EntityValueConvertible {
    public var entityValue: EntityValue { .boolean(self) }
}

extension Date: EntityValueConvertible {
    public var entityValue: EntityValue { .date(self) }
}

extension Timestamp: EntityValueConvertible {
    public var entityValue: EntityValue { .date(self) }
}

extension Data: EntityValueConvertible {
    public var entityValue: EntityValue { .data(self) }
}

/// Stored as text, as ``EntityStore/save(_:)`` stores it.
extension URL: EntityValueConvertible {
    public var entityValue: EntityValue { .string(absoluteString) }
}

/// Stored as text, as ``EntityStore/save(_:)`` stores it.
extension UUID: EntityValueConvertible {
    public var entityValue: EntityValue { .string(uuidString) }
}

/// Stored as a relationship.
extension EntityReference: EntityValueConvertible {
    public var entityValue: EntityValue { .relationship(self) }
}

extension Array: EntityValueConvertible where Element: EntityValueConvertible {
    public var entityValue: EntityValue { .array(map(\.entityValue)) }
}

extension Dictionary: EntityValueConvertible
where Key == String, Value: EntityValueConvertible {
    public var entityValue: EntityValue {
        .dictionary([Name: EntityValue](map { (Name($0.key), $0.value.entityValue) }) { $1 })
    }
}
