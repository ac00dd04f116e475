/// Paths on the command line.
package enum PathWord {
    /// Returns the path that an argument names.
    ///
    /// Foundation expands a tilde at the start of a path. The shell has already done this, so a
    /// tilde that is still there is part of the name. The returned path isn't expanded again.
    package static func path(_ word: String) -> String {
        word.hasPrefix("~") ? "./" + word : word
    }
}
