public import Foundation

/// Country names in one language, by two-letter code.
public final class CountryNames: Sendable {
    /// The locale whose language the names are in.
    public let locale: Locale

    /// The two-letter codes that have a name, with the name folded for searching.
    private let folded: [(code: String, name: String)]

    /// Loads the names in the language of `locale`.
    ///
    /// - Complexity: Looks up all 676 two-letter codes. Keep the object.
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

    /// The names in the environment's language. See `Locale.environment(_:)`.
    public static let environment = CountryNames(
        locale: .environment(ProcessInfo.processInfo.environment))

    /// The English names, regardless of the environment.
    public static let english = CountryNames(locale: Locale(identifier: "en"))

    /// Returns the country's name. A code without a name is its own name; an empty code is `ZZ`.
    public func name(of code: String) -> String {
        if code.isEmpty { return Self.unnamed }
        return Self.name(of: code, in: locale) ?? code
    }

    /// Returns the sorted codes of the countries whose folded name contains the folded `text`.
    ///
    /// - Complexity: O(*n*) in the number of codes that have a name.
    public func codes(matching text: String) -> [String] {
        let wanted = TextFolding.fold(text)
        return folded.filter { TextFolding.contains($0.name, wanted) }.map(\.code)
    }

    private static let unnamed = "ZZ"

    private static func name(of code: String, in locale: Locale) -> String? {
        // ICU names ZZ "Unknown Region", which is less informative than the code.
        code == unnamed ? nil : locale.localizedString(forRegionCode: code)
    }
}

extension Locale {
    /// Returns the locale of the POSIX variables: `LC_ALL`, otherwise `LC_MESSAGES`, otherwise
    /// `LANG`.
    ///
    /// Foundation ignores these variables on Linux. The codeset and modifier are dropped. `C`,
    /// `POSIX` and empty values mean English.
    public static func environment(_ variables: [String: String]) -> Locale {
        let value = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
            .compactMap { variables[$0] }.first { !$0.isEmpty }
        let name = value?.prefix { $0 != "." && $0 != "@" } ?? ""
        return Locale(identifier: ["", "C", "POSIX"].contains(name) ? "en" : String(name))
    }
}
