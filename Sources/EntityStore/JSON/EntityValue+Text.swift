import LosslessJSON

extension EntityValue {
    /// Reads a value as ``json`` writes it.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue`: text that is not JSON, null, a
    ///   number that is too large.
    public init(json text: String) throws(EntityStoreError) {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(text.utf8), allowing: .trailingCommas)
        } catch {
            throw EntityStoreError(.invalidValue, "it is not JSON: \(error)", cause: error)
        }
        if case .object(let members) = json, members.count == 1, let only = members.first,
            only.name == "$entity", case .string(let identifier) = only.value
        {
            self = .relationship(.identifier(identifier))
        } else {
            self = try Self(json: json)
        }
    }

    /// The value as one line of JSON: bytes as `{"$data": BASE64}`, a date as `{"$date": TIME}`, a
    /// double that JSON has no number for as `{"$real": "nan"}`, a relationship as
    /// `{"$entity": IDENTIFIER}`. Doubles have a decimal point or an exponent.
    public var json: String {
        var writer = JSONWriter()
        if case .relationship(let target) = self {
            writer.form("$entity", target.identifier ?? "")
            return writer.text
        }
        do {
            try writeJSON(to: &writer)
            return writer.text
        } catch {
            return "null"
        }
    }
}
