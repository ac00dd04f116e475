/// A command line in a form that a POSIX shell parses to the same words.
package enum ShellCommand {
    /// Returns the words as one line, quoted where necessary.
    package static func line(_ words: String...) -> String {
        words.map(word).joined(separator: " ")
    }

    /// Returns a word, quoted if necessary.
    package static func word(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "/._-+:,@%".utf8.contains(byte)
            }
        }
        if isPlain, !word.isEmpty { return word }
        // Split by bytes: an apostrophe followed by a combining accent is a single `Character`.
        let quoted = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }.joined(separator: "'\\''")
        return "'\(quoted)'"
    }
}
