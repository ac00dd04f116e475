import Foundation
import Replication

extension Change: Codable {
    private enum CodingKeys: String, CodingKey {
        case timestamp, parentTimestamp, parents, key, value, bytes
        case reverts = "takesBack"
    }

    /// Encodes the change in a stable format:
    ///
    /// ```json
    /// {
    ///   "key": "note/1/title",
    ///   "timestamp": 817204500000000,
    ///   "parentTimestamp": 817204400000000,
    ///   "parents": [{"device": "ipad", "timestamp": 817204400000000}],
    ///   "value": "Groceries"
    /// }
    /// ```
    ///
    /// Times are whole microseconds since 2001-01-01T00:00:00Z. Members without content are left
    /// out: `parentTimestamp` and `parents` if they are `nil`, `reverts` if it is empty. A removal
    /// has neither `value` nor `bytes`. The elements of `reverts` have the same form as those of
    /// `parents`. The value is encoded as `PropertyList` encodes itself. Bytes that aren't a value,
    /// or that this library would encode differently, are written unchanged to `bytes`, in base64,
    /// instead of `value`. The decoded change is therefore equal to this one.
    ///
    /// - Throws: `EncodingError` for a change whose value wasn't loaded from its log.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encode(timestamp, forKey: .timestamp)
        try container.encodeIfPresent(parentTimestamp, forKey: .parentTimestamp)
        try container.encodeIfPresent(parents, forKey: .parents)
        if !reverts.isEmpty { try container.encode(reverts, forKey: .reverts) }
        if lacksValue {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "the value was not loaded from its log: read it first"))
        }
        guard let bytes else { return }
        if let value = try? PropertyList(binary: bytes), (try? value.binary()) == bytes {
            try container.encode(value, forKey: .value)
        } else {
            try container.encode(bytes.base64EncodedString(), forKey: .bytes)
        }
    }

    /// Decodes the format of ``encode(to:)``. Unknown members are ignored.
    ///
    /// - Throws: `DecodingError`, also for a change with both a value and bytes, and for an invalid
    ///   device name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var bytes: Data?
        if let value = try container.decodeIfPresent(PropertyList.self, forKey: .value) {
            bytes = try value.binary()
        }
        if let text = try container.decodeIfPresent(String.self, forKey: .bytes) {
            guard bytes == nil, let data = Data(base64: text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .bytes, in: container,
                    debugDescription: bytes == nil ? "it is not base64" : "it also has a value")
            }
            bytes = data
        }
        self.init(
            timestamp: try container.decode(Timestamp.self, forKey: .timestamp),
            parentTimestamp: try container.decodeIfPresent(
                Timestamp.self, forKey: .parentTimestamp),
            parents: try container.decodeIfPresent([LogRow.Reference].self, forKey: .parents),
            reverts: try container.decodeIfPresent(
                [LogRow.Reference].self, forKey: .reverts) ?? [],
            key: try container.decode(String.self, forKey: .key), bytes: bytes)
    }
}
