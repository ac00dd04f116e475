/// Paths on the command line.
package enum PathWord {
    /// Returns the path that a word names, unchanged in meaning for all file operations.
    ///
    /// Foundation replaces a tilde at the start of a path by a home folder. The shell has already
    /// done this. If a word still starts with a tilde, the tilde is part of a name.
    package static func path(_ word: String) -> String {
        word.hasPrefix("~") ? "./" + word : word
    }
}
