public import Foundation
package import LosslessJSON
public import Replication

extension PropertyList: JSONTreeReadable {
    package static func isTag(_ name: String, of content: JSON?) -> Bool {
        switch JSONTag(rawValue: name) {
        case .data, .date, .real, .dictionary: true
        case .text, .external, .entity, nil: false
        }
    }

    package init?(jsonDate text: String) {
        guard let seconds = DateText.secondsSince2001(text) else { return nil }
        self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    }
}

extension PropertyList {
    /// The layout of JSON text.
    public enum JSONLayout: Sendable {
        /// On one line.
        case compact
        /// One element per line, indented by two spaces.
        case indented
    }

    /// Parses one value from JSON text (UTF-8).
    ///
    /// Strings, booleans, arrays, and objects represent themselves. A number without fraction and
    /// exponent is an integer (up to 64 bits, signed or unsigned); any other is a real. Objects of
    /// the following forms, with a single member, represent values that JSON lacks:
    ///
    /// - `{"$data": "BASE64"}`
    /// - `{"$date": "2026-11-21T09:15:00.5Z"}`, or seconds since 2001-01-01 UTC as a number
    /// - `{"$real": "nan"}`, `"inf"`, `"-inf"`; NaNs with other bits as `"nan:HEX"`
    /// - `{"$dictionary": {…}}` a dictionary that would look like one of these forms. An array of
    ///   alternating names and values instead of the object is also accepted, for any dictionary
    ///
    /// - Throws: ``PropertyListError``. `null` is refused, because values can't be null.
    public init(json text: some ContiguousBytes) throws(PropertyListError) {
        guard let value = try Self.optional(json: text) else {
            throw PropertyListError(.unsupported, "null is not a value")
        }
        self = value
    }

    /// Parses one value from JSON text, like ``init(json:)-(ContiguousBytes)``.
    ///
    /// - Throws: As ``init(json:)-(ContiguousBytes)``.
    public init(json text: String) throws(PropertyListError) {
        try self.init(json: Array(text.utf8))
    }

    /// Parses one value from JSON text, like ``init(json:)-(ContiguousBytes)``, but returns `nil`
    /// for the text `null`.
    ///
    /// - Throws: ``PropertyListError`` for invalid JSON, and for unsupported values.
    public static func optional(
        json text: some ContiguousBytes
    ) throws(PropertyListError) -> PropertyList? {
        try explaining { () throws(TreeJSONError) in
            let json = try parse(bytes(of: text))
            return json == .null ? nil : try PropertyList(reading: json)
        }
    }

    private static func bytes(of text: some ContiguousBytes) -> [UInt8] {
        text.withUnsafeBytes { Array($0) }
    }

    private static func explaining<Result>(
        _ body: () throws(TreeJSONError) -> Result
    ) throws(PropertyListError) -> Result {
        do {
            return try body()
        } catch {
            throw PropertyListError(error)
        }
    }

    /// Parses one JSON object as keys and their values. `null` means removing the key.
    ///
    /// - Throws: ``PropertyListError`` for anything else, including duplicate keys.
    public static func entries(
        json text: some ContiguousBytes
    ) throws(PropertyListError) -> [Name: PropertyList?] {
        let json = try explaining { () throws(TreeJSONError) in try parse(bytes(of: text)) }
        guard case .object(let members) = json else {
            throw PropertyListError(.malformed, "expected a JSON object")
        }
        var entries: [Name: PropertyList?] = [:]
        for member in members {
            var value: PropertyList?
            do {
                if member.value != .null { value = try PropertyList(reading: member.value) }
            } catch {
                throw PropertyListError(
                    error, "the value of \(member.name.quoted): \(error.message)")
            }
            guard entries.updateValue(value, forKey: member.name) == nil else {
                throw PropertyListError(
                    .malformed, "the key \(member.name.quoted) appears twice")
            }
        }
        return entries
    }

    /// Returns the value as JSON, in the format of ``init(json:)-(ContiguousBytes)``, with keys in
    /// byte order.
    ///
    /// Control characters are escaped, including those of ISO 8859, so that the text is safe to
    /// print. A real always has a fraction or an exponent.
    ///
    /// - Throws: ``PropertyListError`` with code `.tooDeep`.
    public func json(_ layout: JSONLayout = .compact) throws(PropertyListError) -> String {
        try Self.explaining { () throws(TreeJSONError) in
            var writer = JSONWriter(layout == .indented ? .indented : .compact)
            writer.json(try jsonTree())
            return writer.text
        }
    }

    /// Returns `text` as a JSON string with quotes, escaped as in ``json(_:)``.
    public static func json(string text: String) -> String {
        JSONWriter.quoted(text)
    }
}
