import Foundation

/// A searchable name: an action's name or title, or the name of a place.
struct PaletteName: Sendable {
    private let letters: [Character]
    private let isLetter: [Bool]

    init(_ text: String) {
        letters = Array(Self.folded(text))
        isLetter = letters.map(\.isLetter)
    }

    /// Returns the text without case and diacritics: `Kyōto` becomes `kyoto`.
    static func folded(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 }
            ? text.lowercased()
            : text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    }

    /// The names of the program's actions, in order.
    static let all = Action.every.map(names(of:))

    static func names(of action: Action) -> (name: Self, title: Self) {
        (name: Self(action.name), title: Self(action.title))
    }

    private static let longest = all.reduce(CustomCommand.titleLimit) {
        max($0, $1.name.letters.count, $1.title.letters.count)
    }

    /// Returns the letters of a text to compare; `nil` if it is longer than any name.
    ///
    /// - Complexity: O(*m*) in the length of the longest name, however long the text is.
    static func letters(of text: String) -> [Character]? {
        var letters: [Character] = []
        for character in text where character != " " {
            letters += Self.folded(String(character))
            if letters.count > longest { return nil }
        }
        return letters
    }

    /// The best rank of a name that contains the letters in order, but not consecutively. All other
    /// matches rank better.
    private static let scattered = 40

    private func isWordStart(_ place: Int) -> Bool { place == 0 || !isLetter[place - 1] }

    /// Returns the indexes at which the name contains the letters consecutively; `nil` if none.
    private func places(of typed: [Character]) -> [Int]? {
        let places = (0...letters.count - typed.count).filter {
            letters[$0] == typed[0] && letters[$0..<$0 + typed.count].elementsEqual(typed)
        }
        return places.isEmpty ? nil : places
    }

    /// Returns the rank of a fuzzy match; lower is better.
    ///
    /// - Returns: `nil` if the name doesn't contain the letters in order.
    func score(of typed: [Character]) -> Int? {
        guard !typed.isEmpty else { return 0 }
        guard typed.count <= letters.count else { return nil }
        if letters.starts(with: typed) { return typed.count == letters.count ? 0 : 1 }
        if let places = places(of: typed) { return places.contains(where: isWordStart) ? 2 : 3 }
        var score = Self.scattered
        var next = 0
        for letter in typed {
            guard let place = letters[next...].firstIndex(of: letter) else { return nil }
            if place > next, !isWordStart(place) { score += 1 + min(place - next, 5) }
            next = place + 1
        }
        return score
    }
}
