import LosslessJSON

extension EntityValue {
    /// Parses a value from the format of ``json``.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidValue` if the text isn't JSON, is null, or
    ///   has a number that is too large.
    public init(json text: String) throws(EntityStoreError) {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(text.utf8), allowing: .trailingCommas)
        } catch {
            throw EntityStoreError(.invalidValue, "not valid JSON: \(error)", cause: error)
        }
        if let (tag, content) = json.tagged, tag == .entity, case .string(let identifier) = content
        {
            self = .relationship(.identifier(identifier))
        } else {
            self = try Self(json: json)
        }
    }

    /// The value as one line of JSON. Bytes are `{"$data": BASE64}`, dates `{"$date": TIME}`,
    /// doubles that JSON can't represent `{"$real": "nan"}`, relationships `{"$entity":
    /// IDENTIFIER}`. Doubles have a decimal point or an exponent.
    public var json: String {
        var writer = JSONWriter()
        if case .relationship(let target) = self {
            writer.tagged(.entity, target.identifier ?? "")
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
