public import Foundation
public import Replication

/// Typed getters for the most common kinds of values. Each returns `nil` if the key has no value.
///
/// Kinds are not converted: text with digits is not a number, and a number is not a boolean. Each
/// getter throws the errors of ``value(forKey:as:)``: ``KeyValueError``, `.typeMismatch` for a
/// value of another kind.
extension KeyValueStore {
    /// Returns the text of `key`.
    public func string(forKey key: String) throws(KeyValueError) -> String? {
        try value(forKey: key, as: String.self)
    }

    /// Returns the integer of `key`. A real is not an integer, even without a fraction.
    public func integer(forKey key: String) throws(KeyValueError) -> Int? {
        try value(forKey: key, as: Int.self)
    }

    /// Returns the real of `key`, or its integer if a `Double` represents it exactly.
    public func double(forKey key: String) throws(KeyValueError) -> Double? {
        try value(forKey: key, as: Double.self)
    }

    /// Returns the boolean of `key`.
    public func bool(forKey key: String) throws(KeyValueError) -> Bool? {
        try value(forKey: key, as: Bool.self)
    }

    /// Returns the date of `key`. Text is not a date.
    public func date(forKey key: String) throws(KeyValueError) -> Date? {
        try value(forKey: key, as: Date.self)
    }

    /// Returns the bytes of `key` if its value is data.
    public func data(forKey key: String) throws(KeyValueError) -> Data? {
        try value(forKey: key, as: Data.self)
    }

    /// Returns the URL in the text of `key`.
    public func url(forKey key: String) throws(KeyValueError) -> URL? {
        try value(forKey: key, as: URL.self)
    }

    /// Returns the UUID in the text of `key`.
    public func uuid(forKey key: String) throws(KeyValueError) -> UUID? {
        try value(forKey: key, as: UUID.self)
    }

    /// Returns the elements of `key`, of any kind.
    public func array(forKey key: String) throws(KeyValueError) -> [PropertyList]? {
        try value(forKey: key, as: [PropertyList].self)
    }

    /// Returns the elements of `key` if all of them are text.
    public func stringArray(forKey key: String) throws(KeyValueError) -> [String]? {
        try value(forKey: key, as: [String].self)
    }

    /// Returns the members of `key`, of any kind.
    public func dictionary(forKey key: String) throws(KeyValueError) -> [Name: PropertyList]? {
        try value(forKey: key, as: [Name: PropertyList].self)
    }
}
