import Foundation

/// A user's search text for servers, prepared for the catalog's search.
public struct SearchText: Hashable, Sendable {
    /// The folded text, which matches anywhere in a place's name or at the start of a server's
    /// name.
    public let folded: String
    /// The codes of the matching countries. A country matches if its code is the text, or if its
    /// name contains the text.
    public let countryCodes: Set<String>

    /// Prepares a search text. `nil` for only white space, which matches every server.
    public init?(_ text: String, names: CountryNames) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { return nil }
        folded = TextFolding.fold(trimmed)
        countryCodes = Set(names.codes(matching: trimmed)).union([trimmed.uppercased()])
    }

    /// Returns whether the text matches `logical`.
    public func finds(_ logical: Logical) -> Bool {
        if countryCodes.contains(logical.exitCountryCode) { return true }
        if countryCodes.contains(logical.entryCountryCode) { return true }
        if TextFolding.fold(logical.name).utf8.starts(with: folded.utf8) { return true }
        return [logical.city, logical.translatedCity, logical.gatewayName].contains { place in
            place.map { TextFolding.contains(TextFolding.fold($0), folded) } ?? false
        }
    }
}
