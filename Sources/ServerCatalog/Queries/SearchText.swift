import Foundation

/// What a person typed to find a server, taken apart the way the catalog looks for it.
public struct SearchText: Hashable, Sendable {
    /// Folded, to be found somewhere in a place's name or at the start of a server's.
    public let folded: String
    /// Countries that are meant: the code that was typed, and those whose name has the text.
    public let countryCodes: Set<String>

    /// `nil` for text without anything but white space, which finds every server.
    public init?(_ text: String, names: CountryNames) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { return nil }
        folded = TextFolding.fold(trimmed)
        countryCodes = Set(names.codes(matching: trimmed)).union([trimmed.uppercased()])
    }

    /// Whether the text finds `logical`.
    public func finds(_ logical: Logical) -> Bool {
        if countryCodes.contains(logical.exitCountryCode) { return true }
        if countryCodes.contains(logical.entryCountryCode) { return true }
        if TextFolding.fold(logical.name).utf8.starts(with: folded.utf8) { return true }
        return [logical.city, logical.translatedCity, logical.gatewayName].contains { place in
            place.map { TextFolding.contains(TextFolding.fold($0), folded) } ?? false
        }
    }
}
