public import Replication

extension KeyValueStore {
    /// Returns the value of `key` as a `Decodable` Swift value, or `nil` if there is none.
    ///
    /// See ``PropertyList/value(as:)``.
    ///
    /// - Throws: ``KeyValueError``, `.typeMismatch` for a value of another kind, with the key, the
    ///   requested type, and the value's kind; `.invalidValue` for bytes that are not a value.
    public func value<Wanted: Decodable>(
        forKey key: String, as type: Wanted.Type
    ) throws(KeyValueError) -> Wanted? {
        guard let bytes = bytes(forKey: key) else { return nil }
        let value: PropertyList
        do {
            value = try PropertyList(binary: bytes)
        } catch {
            throw KeyValueError(
                .invalidValue, "the value of \(key.quoted) can't be read: \(error)",
                cause: error)
        }
        return try value.value(ofKey: key, as: type)
    }

    /// Sets the value of `key` to the encoding of a Swift value. Removes the key if the value is
    /// `nil` or encodes itself as null.
    ///
    /// See ``PropertyList/init(encoding:)`` and ``set(_:forKey:ifNewestIs:)``.
    ///
    /// - Throws: ``KeyValueError``: `.invalidValue` if the value can't be encoded; the message
    ///   names the key and the place. Also the errors of ``set(_:forKey:ifNewestIs:)``.
    public func set<Value: Encodable>(
        encoding value: Value?, forKey key: String, ifNewestIs seen: Timestamp?? = nil
    ) throws(KeyValueError) {
        try set(PropertyList.encoding(value, forKey: key), forKey: key, ifNewestIs: seen)
    }

    /// Exists only for the compiler's message.
    @available(*, unavailable, message: "call 'try set(encoding: value, forKey: key)'")
    @_disfavoredOverload
    public func set<Value: Encodable>(_ value: Value?, forKey key: String) throws(KeyValueError) {}
}

extension KeyValueStore.Transaction {
    /// Returns the value of `key`, with this transaction's own changes, as a Swift value. Returns
    /// `nil` if there is none or it can't be read.
    ///
    /// - Throws: ``KeyValueError``, `.typeMismatch`, as ``KeyValueStore/value(forKey:as:)``.
    public func value<Wanted: Decodable>(
        forKey key: String, as type: Wanted.Type
    ) throws(KeyValueError) -> Wanted? {
        try value(forKey: key)?.value(ofKey: key, as: type)
    }

    /// Sets the value of `key` to the encoding of a Swift value. Removes the key if the value is
    /// `nil`.
    ///
    /// - Throws: As ``KeyValueStore/set(encoding:forKey:ifNewestIs:)``.
    public mutating func set<Value: Encodable>(
        encoding value: Value?, forKey key: String
    ) throws(KeyValueError) {
        try set(PropertyList.encoding(value, forKey: key), forKey: key)
    }
}

extension PropertyList {
    /// Decodes the value and names the key in errors.
    ///
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
                "the value of \(key.quoted) can't be read as \(type): \(reason)",
                cause: error)
        }
    }

    /// Encodes a value and names the key in errors.
    ///
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
                "the value of \(key.quoted) can't be stored: \(reason)", cause: error)
        }
    }
}
