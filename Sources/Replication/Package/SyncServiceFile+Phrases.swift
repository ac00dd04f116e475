extension SyncServiceFile {
    /// The phrases that services write in parentheses into the name of a conflict copy, in lower
    /// case. Each phrase has its service, or `nil` if several services use it.
    ///
    /// Dropbox translates its phrases. Obsidian Sync, Maestral, Nextcloud, and Seafile don't.
    private static let phrases: [(text: String, service: Service?)] = [
        ("conflicted copy", .dropbox), ("conflicting copy", .maestral),
        ("in konflikt stehende kopie", .dropbox), ("konfliktkopie", nil),
        ("copie en conflit", .dropbox), ("copie conflictuelle", .dropbox),
        ("copia en conflicto", .dropbox), ("copia conflictiva", .dropbox),
        ("copia in conflitto", .dropbox), ("cópia em conflito", .dropbox),
        ("cópia conflitante", .dropbox), ("conflicterende kopie", .dropbox),
        ("kopie met conflict", .dropbox), ("konfliktkopia", .dropbox),
        ("konflikterande kopia", .dropbox), ("konfliktkopi", .dropbox),
        ("modstridende kopi", .dropbox), ("motstridende kopi", .dropbox),
        ("kopia powodująca konflikt", .dropbox), ("kopia będąca w konflikcie", .dropbox),
        ("konfliktní kopie", .dropbox), ("ristiriitainen kopio", .dropbox),
        ("çakışan kopya", .dropbox), ("salinan berkonflik", .dropbox),
        ("salinan yang bertentangan", .dropbox), ("salinan bercanggah", .dropbox),
        ("конфликтующая копия", .dropbox), ("конфликтная копия", .dropbox),
        ("конфліктна копія", .dropbox), ("競合コピー", .dropbox), ("問題のあるコピー", .dropbox),
        ("冲突副本", .dropbox), ("衝突副本", .dropbox), ("衝突複本", .dropbox),
        ("충돌 사본", .dropbox), ("충돌된 사본", .dropbox), ("충돌된 복사본", .dropbox),
        ("충돌 복사본", .dropbox),
    ]

    /// Dropbox's phrases for a name that is taken. A number can follow the phrase.
    private static let takenNames = [
        "case conflict", "unicode encoding conflict", "white space conflict",
        "selective sync conflict",
    ]

    /// Returns the service that marks conflict copies with this text between parentheses.
    ///
    /// - Returns: The service, or an inner `nil` if several services use the text. For any other
    ///   text, `nil`.
    static func service(ofWords words: Substring) -> Service?? {
        if words.hasPrefix("SFConflict ") { return .some(.seafile) }
        let lower = words.lowercased()
        if takenNames.contains(where: { isNumbered(lower, $0) }) { return .some(.dropbox) }
        guard let phrase = phrases.first(where: { contains(lower, $0.text) }) else { return nil }
        if words.hasPrefix("Conflicted copy "), words.suffix(12).isDigits(12) {
            return .some(.obsidian)
        }
        // Nextcloud starts with the phrase and then writes a date and a time.
        if words.hasPrefix("conflicted copy ") { return .some(.nextcloud) }
        return words.hasPrefix("conflicted copy") ? .some(nil) : .some(phrase.service)
    }

    private static func isNumbered(_ text: String, _ words: String) -> Bool {
        guard text.hasPrefix(words) else { return false }
        let rest = text.dropFirst(words.count)
        return rest.isEmpty || rest.first == " " && rest.dropFirst().allSatisfy(\.isNumber)
    }

    /// Returns whether a text contains the phrase as whole words. Scripts without spaces are
    /// searched directly.
    private static func contains(_ text: String, _ words: String) -> Bool {
        text.ranges(of: words).contains { place in
            guard let first = words.unicodeScalars.first, first.value < 0x1100 else { return true }
            let before = text[..<place.lowerBound].last
            let after = text[place.upperBound...].first
            return before?.isLetter != true && after?.isLetter != true
        }
    }
}
