/// A command line that a POSIX shell takes as it is printed.
package enum ShellCommand {
    /// The words as one line, each in quotation marks where it needs them.
    package static func line(_ words: String...) -> String {
        words.map(word).joined(separator: " ")
    }

    /// A word, in quotation marks where it needs them.
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
        // By bytes: an apostrophe with an accent behind it is one `Character`.
        let quoted = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }.joined(separator: "'\\''")
        return "'\(quoted)'"
    }
}
