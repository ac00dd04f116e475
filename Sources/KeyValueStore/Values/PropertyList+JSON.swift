public import Foundation
import LosslessJSON
public import Replication

extension PropertyList {
    /// How values are written as JSON.
    public enum JSONLayout: Sendable {
        /// On one line.
        case compact
        /// One element a line, indented by two spaces.
        case indented
    }

    /// Reads one value from JSON text (UTF-8).
    ///
    /// Strings, booleans, arrays and objects are themselves. A number without fraction and
    /// exponent is an integer (to 64 bits, signed or unsigned), any other a real. Objects with one
    /// of these as their only member stand for what JSON lacks:
    ///
    /// - `{"$data": "BASE64"}`
    /// - `{"$date": "2026-11-21T09:15:00.5Z"}`, or seconds since 2001-01-01 UTC as a number
    /// - `{"$real": "nan"}`, `"inf"`, `"-inf"`; NaNs of other bits as `"nan:HEX"`
    /// - `{"$dictionary": {…}}` a dictionary that would look like one of these; with an array in it,
    ///   of names and values in turn, any dictionary
    ///
    /// - Throws: ``PropertyListError``; `null` is refused, as no value can be nothing.
    public init(json text: some ContiguousBytes) throws(PropertyListError) {
        guard let value = try Self.optional(json: text) else {
            throw PropertyListError(.unsupported, "null is not a value")
        }
        self = value
    }

    /// Reads one value from JSON text, as ``init(json:)-(ContiguousBytes)`` does.
    ///
    /// - Throws: As ``init(json:)-(ContiguousBytes)``.
    public init(json text: String) throws(PropertyListError) {
        try self.init(json: Array(text.utf8))
    }

    /// As ``init(json:)-(ContiguousBytes)``, with `nil` for the text `null`.
    ///
    /// - Throws: ``PropertyListError`` for anything else than JSON, and for values that do not fit.
    public static func optional(
        json text: some ContiguousBytes
    ) throws(PropertyListError) -> PropertyList? {
        let json = try parse(text)
        return json == .null ? nil : try PropertyList(json)
    }

    /// Reads one JSON object as keys and their values; a `null` stands for a key to remove.
    ///
    /// - Throws: ``PropertyListError`` for anything else, a key that appears twice included.
    public static func entries(
        json text: some ContiguousBytes
    ) throws(PropertyListError) -> [Name: PropertyList?] {
        guard case .object(let members) = try parse(text) else {
            throw PropertyListError(.malformed, "expected a JSON object")
        }
        var entries: [Name: PropertyList?] = [:]
        for member in members {
            let value = member.value == .null ? nil : try valueOf(member)
            guard entries.updateValue(value, forKey: member.name) == nil else {
                throw twice(member.name)
            }
        }
        return entries
    }

    /// - Throws: ``PropertyListError`` that names the key.
    private static func valueOf(_ member: JSON.Member) throws(PropertyListError) -> PropertyList {
        do {
            return try PropertyList(member.value)
        } catch {
            throw PropertyListError(
                error.code, "the value of \(member.name.quoted): \(error.message)",
                at: error.offset)
        }
    }

    /// The value as JSON, in the forms of ``init(json:)-(ContiguousBytes)``, keys in byte order.
    ///
    /// Control characters are escaped, those of ISO 8859 included, so that the text is safe to
    /// print. A real always has a fraction or an exponent.
    ///
    /// - Throws: ``PropertyListError`` with code `.tooDeep`.
    public func json(_ layout: JSONLayout = .compact) throws(PropertyListError) -> String {
        var writer = JSONWriter(layout == .indented ? .indented : .compact)
        try writer.append(self)
        return writer.text
    }

    /// `text` as a JSON string, quotes included, escaped as in ``json(_:)``.
    public static func json(string text: String) -> String {
        JSONWriter.quoted(text)
    }
}
