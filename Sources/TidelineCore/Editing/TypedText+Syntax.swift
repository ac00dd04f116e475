import LosslessJSON

extension TypedText {
    /// The UTF-8 offset of the first error in the syntax of the text; `nil` if there is none, or if
    /// the type isn't JSON, map or list.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public var syntaxErrorOffset: Int? {
        guard [.json, .map, .list].contains(kind) else { return nil }
        do {
            _ = try JSONParser.parse(Array(text.utf8))
            return nil
        } catch {
            return error.offset
        }
    }
}
