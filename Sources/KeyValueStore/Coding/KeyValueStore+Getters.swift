public import Foundation
public import Replication

/// Values of the kinds that most are of, each `nil` where the key has no value.
///
/// No kind is turned into another: text with digits in it is no number, a number no boolean. Each
/// throws as ``value(forKey:as:)``: ``KeyValueError``, `.typeMismatch` for a value of another kind.
extension KeyValueStore {
    /// The text of `key`.
    public func string(forKey key: String) throws(KeyValueError) -> String? {
        try value(forKey: key, as: String.self)
    }

    /// The integer of `key`; a real is none, even without a fraction.
    public func integer(forKey key: String) throws(KeyValueError) -> Int? {
        try value(forKey: key, as: Int.self)
    }

    /// The real of `key`, or its integer where a `Double` holds it exactly.
    public func double(forKey key: String) throws(KeyValueError) -> Double? {
        try value(forKey: key, as: Double.self)
    }

    /// The boolean of `key`.
    public func bool(forKey key: String) throws(KeyValueError) -> Bool? {
        try value(forKey: key, as: Bool.self)
    }

    /// The date of `key`; text is none.
    public func date(forKey key: String) throws(KeyValueError) -> Date? {
        try value(forKey: key, as: Date.self)
    }

    /// The bytes of `key`, where its value is data.
    public func data(forKey key: String) throws(KeyValueError) -> Data? {
        try value(forKey: key, as: Data.self)
    }

    /// The URL that the text of `key` spells.
    public func url(forKey key: String) throws(KeyValueError) -> URL? {
        try value(forKey: key, as: URL.self)
    }

    /// The UUID that the text of `key` spells.
    public func uuid(forKey key: String) throws(KeyValueError) -> UUID? {
        try value(forKey: key, as: UUID.self)
    }

    /// The elements of `key`, of any kinds.
    public func array(forKey key: String) throws(KeyValueError) -> [PropertyList]? {
        try value(forKey: key, as: [PropertyList].self)
    }

    /// The elements of `key`, all of them text.
    public func stringArray(forKey key: String) throws(KeyValueError) -> [String]? {
        try value(forKey: key, as: [String].self)
    }

    /// The members of `key`, of any kinds.
    public func dictionary(forKey key: String) throws(KeyValueError) -> [Name: PropertyList]? {
        try value(forKey: key, as: [Name: PropertyList].self)
    }
}
