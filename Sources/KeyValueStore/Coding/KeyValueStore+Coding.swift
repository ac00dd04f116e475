public import Replication

extension KeyValueStore {
    /// The value of `key` as a Swift value, by its own `Codable`; `nil` where there is none.
    ///
    /// As ``PropertyList/value(as:)``.
    ///
    /// - Throws: ``KeyValueError``, `.typeMismatch` for a value of another kind, with the key, what
    ///   was wanted and what is there; `.invalidValue` for bytes that are no value.
    public func value<Wanted: Decodable>(
        forKey key: String, as type: Wanted.Type
    ) throws(KeyValueError) -> Wanted? {
        guard let bytes = bytes(forKey: key) else { return nil }
        let value: PropertyList
        do {
            value = try PropertyList(binary: bytes)
        } catch {
            throw KeyValueError(
                .invalidValue, "the value of \(key.quoted) cannot be read: \(error)",
                cause: error)
        }
        return try value.value(ofKey: key, as: type)
    }

    /// Sets the value of `key` to what a Swift value encodes itself as, by its own `Codable`;
    /// removes it with `nil`, and where the value encodes itself as null.
    ///
    /// As ``PropertyList/init(encoding:)`` and ``set(_:forKey:ifNewestIs:)``.
    ///
    /// - Throws: ``KeyValueError``, `.invalidValue` for what no value can hold, with the key and the
    ///   place; as ``set(_:forKey:ifNewestIs:)``.
    public func set<Value: Encodable>(
        encoding value: Value?, forKey key: String, ifNewestIs seen: Timestamp?? = nil
    ) throws(KeyValueError) {
        try set(PropertyList.encoding(value, forKey: key), forKey: key, ifNewestIs: seen)
    }
}

extension KeyValueStore.Transaction {
    /// The value of `key` with this transaction's own changes, as a Swift value; `nil` where there is
    /// none, or none that can be read.
    ///
    /// - Throws: ``KeyValueError``, `.typeMismatch`, as ``KeyValueStore/value(forKey:as:)``.
    public func value<Wanted: Decodable>(
        forKey key: String, as type: Wanted.Type
    ) throws(KeyValueError) -> Wanted? {
        try value(forKey: key)?.value(ofKey: key, as: type)
    }

    /// Sets the value of `key` to what a Swift value encodes itself as; removes it with `nil`.
    ///
    /// - Throws: As ``KeyValueStore/set(encoding:forKey:ifNewestIs:)``.
    public mutating func set<Value: Encodable>(
        encoding value: Value?, forKey key: String
    ) throws(KeyValueError) {
        try set(PropertyList.encoding(value, forKey: key), forKey: key)
    }
}

extension PropertyList {
    /// - Throws: ``KeyValueError``, `.typeMismatch`.
    fileprivate func value<Wanted: Decodable>(
        ofKey key: String, as type: Wanted.Type
    ) throws(KeyValueError) -> Wanted {
        do {
            return try value(as: type)
        } catch {
            let reason = (error as? DecodingError)?.explanation ?? "\(error)"
            throw KeyValueError(
                .typeMismatch,
                "the value of \(key.quoted) cannot be read as \(type): \(reason)",
                cause: error)
        }
    }

    /// - Throws: ``KeyValueError``, `.invalidValue`.
    fileprivate static func encoding<Value: Encodable>(
        _ value: Value?, forKey key: String
    ) throws(KeyValueError) -> PropertyList? {
        guard let value else { return nil }
        do {
            return try PropertyList(encoding: value)
        } catch {
            let reason = (error as? EncodingError)?.explanation ?? "\(error)"
            throw KeyValueError(
                .invalidValue,
                "the value of \(key.quoted) cannot be stored: \(reason)", cause: error)
        }
    }
}
