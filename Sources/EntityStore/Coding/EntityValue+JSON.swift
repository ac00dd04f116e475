import Foundation
package import LosslessJSON
package import Replication

/// The text form of arrays and dictionaries in a file, and of their elements in interchange files.
///
/// A dictionary whose only member has a name that starts with `$` is wrapped as `{"$dictionary":
/// {…}}` to avoid ambiguity. Members are in byte order of their names, so equal values have equal
/// text.
extension EntityValue: JSONTreeReadable {
    /// The maximum nesting depth. It is lower than that of an interchange file (200), because the
    /// file nests values in other objects.
    static let depthLimit = 192

    package static func isTag(_ name: String, of content: JSON?) -> Bool {
        name.utf8.first == UInt8(ascii: "$")
    }

    package init(jsonText text: String) throws(TreeJSONError) {
        let json = try Self.parse(Array(text.utf8), allowing: .trailingCommas)
        if let target = Self.relationship(json) {
            self = target
        } else {
            try self.init(reading: json)
        }
    }

    /// Returns the value of `{"$entity": IDENTIFIER}`, which can't be inside another value.
    private static func relationship(_ json: JSON) -> Self? {
        guard let (tag, content) = json.tagged, tag == .entity, case .string(let target) = content
        else { return nil }
        return .relationship(.identifier(target))
    }
}

extension EntityValue: Codable {
    /// Encodes the value like its ``json``, with any encoder.
    ///
    /// - Throws: `EncodingError` for a value that is nested too deeply; errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        guard case .relationship(let target) = self else { return try encodeJSON(to: encoder) }
        try CodedJSON(Self.relationshipJSON(target), .everyName).encode(to: encoder)
    }

    /// Decodes the format of ``encode(to:)``.
    ///
    /// - Throws: `DecodingError` for anything else; errors of the decoder.
    public init(from decoder: any Decoder) throws {
        let json = try CodedJSON(from: decoder)
        if let target = Self.relationship(json.json) {
            self = target
        } else {
            try self.init(decoded: json, from: decoder)
        }
    }
}

extension EntityValue {
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for a relationship, which can't be
    ///   inside another value, and for a value that is nested too deeply.
    func writeJSON(to writer: inout JSONWriter) throws(EntityStoreError) {
        do {
            writer.json(try jsonTree())
        } catch {
            throw EntityStoreError(error)
        }
    }

    /// - Throws: ``EntityStoreError`` with code `.invalidValue` for JSON that isn't the form of any
    ///   value.
    init(json: JSON) throws(EntityStoreError) {
        do {
            // The parser limits the depth.
            try self.init(reading: json, levels: .max)
        } catch {
            throw EntityStoreError(error)
        }
    }

    /// Parses a value from the format of ``json``.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` if the text isn't JSON, is null, or
    ///   has a number that is too large.
    public init(json text: String) throws(EntityStoreError) {
        do {
            try self.init(jsonText: text)
        } catch {
            throw EntityStoreError(error)
        }
    }

    /// The value as one line of JSON. Bytes are `{"$data": BASE64}`, dates `{"$date": TIME}`,
    /// doubles that JSON can't represent `{"$real": "nan"}`, relationships `{"$entity":
    /// IDENTIFIER}`. Doubles have a decimal point or an exponent.
    public var json: String {
        if case .relationship(let target) = self { return Self.relationshipJSON(target).text }
        return (try? jsonTree().text) ?? "null"
    }

    fileprivate static func relationshipJSON(_ target: EntityReference) -> JSON {
        .tagged(.entity, .string(target.identifier ?? ""))
    }

    /// The value on one line for messages and lists: a string unchanged, an array as JSON, a
    /// relationship as its target's identifier.
    public var text: String {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .boolean(let value): value ? "true" : "false"
        case .date(let value): value.plainISO8601
        case .data(let value): value.base64EncodedString()
        case .relationship(let value): value.description
        case .array, .dictionary: json
        }
    }
}

extension EntityStoreError {
    fileprivate init(_ error: TreeJSONError) {
        self.init(.invalidValue, error.description, cause: error.syntax)
    }
}
