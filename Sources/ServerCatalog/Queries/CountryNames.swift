public import Foundation

/// Names of countries in one language, by their two-letter codes.
public final class CountryNames: Sendable {
    /// The language of the names, and its rules.
    public let locale: Locale

    /// Every code of two letters that has a name, with the name folded for searching.
    private let folded: [(code: String, name: String)]

    /// Names in the language of `locale`.
    ///
    /// - Complexity: Asks for the names of all 676 codes of two letters; keep the object.
    public init(locale: Locale) {
        self.locale = locale
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        folded = letters.flatMap { first in
            letters.compactMap { second in
                let code = "\(first)\(second)"
                return Self.name(of: code, in: locale).map { (code, TextFolding.fold($0)) }
            }
        }
    }

    /// Names in the language of the environment; see `Locale.environment(_:)`.
    public static let environment = CountryNames(
        locale: .environment(ProcessInfo.processInfo.environment))

    /// Names in English, whatever the environment says.
    public static let english = CountryNames(locale: Locale(identifier: "en"))

    /// The country's name; a code without a name is its own, an empty one is `ZZ`.
    public func name(of code: String) -> String {
        if code.isEmpty { return Self.unnamed }
        return Self.name(of: code, in: locale) ?? code
    }

    /// The codes, in order, of the countries whose folded name has `text`, folded, in it.
    ///
    /// - Complexity: O(*n*) in the number of codes that have a name.
    public func codes(matching text: String) -> [String] {
        let wanted = TextFolding.fold(text)
        return folded.filter { TextFolding.contains($0.name, wanted) }.map(\.code)
    }

    private static let unnamed = "ZZ"

    private static func name(of code: String, in locale: Locale) -> String? {
        // ICU names ZZ "Unknown Region", which tells a person less than the code does.
        code == unnamed ? nil : locale.localizedString(forRegionCode: code)
    }
}

extension Locale {
    /// The locale that the POSIX variables name: `LC_ALL`, else `LC_MESSAGES`, else `LANG`.
    ///
    /// Foundation does not look at them on Linux. The codeset and modifier are dropped; `C`,
    /// `POSIX` and nothing at all are English.
    public static func environment(_ variables: [String: String]) -> Locale {
        let value = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
            .compactMap { variables[$0] }.first { !$0.isEmpty }
        let name = value?.prefix { $0 != "." && $0 != "@" } ?? ""
        return Locale(identifier: ["", "C", "POSIX"].contains(name) ? "en" : String(name))
    }
}
