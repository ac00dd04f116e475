import Foundation
import ServerCatalog
import Testing

@Suite struct TextTests {
    @Test(arguments: [
        ("Zürich", "zurich"), ("ZU\u{308}RICH", "zurich"), ("Łódź", "lodz"), ("Tromsø", "tromso"),
        ("Straße", "strasse"), ("İstanbul", "istanbul"), ("Đà Nẵng", "da nang"), ("ＡＢ", "ab"),
        ("US-NY#61", "us-ny#61"), ("東京", "東京"), ("", ""),
    ])
    func foldingRemovesCaseAccentsAndWidth(_ text: String, _ folded: String) {
        #expect(TextFolding.fold(text) == folded)
        #expect(TextFolding.fold(folded) == folded)
    }

    @Test(arguments: [
        ("Zürich", "Zurich"), ("Łódź", "Lodz"), ("Øresund", "Oresund"), ("US-NY#61", "US-NY#61"),
        ("ＡＢ", "AB"), ("東京", "東京"), ("", ""),
    ])
    func foldingCanKeepCase(_ text: String, _ folded: String) {
        #expect(TextFolding.fold(text, keepingCase: true) == folded)
    }

    @Test func countryNamesFollowTheLocale() {
        let german = CountryNames(locale: Locale(identifier: "de_DE"))
        #expect(german.name(of: "CH") == "Schweiz")
        #expect(CountryNames.english.name(of: "CH") == "Switzerland")
        #expect(german.codes(matching: "ÖSTERREICH") == ["AT"])
        #expect(CountryNames.english.codes(matching: "cote d") == ["CI"])
    }

    @Test func unknownCountryIsNamedByItsCode() {
        #expect(CountryNames.english.name(of: "XX") == "XX")
        #expect(CountryNames.english.name(of: "") == "ZZ")
        #expect(CountryNames.english.name(of: "ZZ") == "ZZ")
    }

    @Test func bothCodesOfTheUnitedKingdomAreFound() {
        #expect(CountryNames.english.codes(matching: "united kingdom") == ["GB", "UK"])
    }

    @Test(arguments: [
        (["LANG": "de_CH.UTF-8"], "de_CH"), (["LANG": "fr_FR", "LC_ALL": "pl_PL@euro"], "pl_PL"),
        (["LC_MESSAGES": "sv_SE.UTF-8", "LANG": "de"], "sv_SE"), (["LANG": "C.UTF-8"], "en"),
        (["LC_ALL": "", "LANG": "POSIX"], "en"), ([:], "en"),
    ])
    func localeComesFromTheEnvironment(_ variables: [String: String], _ identifier: String) {
        #expect(Locale.environment(variables).identifier == identifier)
    }
}
