import Foundation

extension Terminal {
    /// The result of copying to the clipboard.
    public enum CopyResult: Hashable, Sendable {
        /// The terminal was asked to copy the text. Terminals don't report whether they did.
        case sent
        /// The text exceeds the given limit in bytes.
        case tooLong(limit: Int)
        /// The terminal has no clipboard.
        case unsupported
    }

    /// The maximum size of copied text: xterm accepts 100,000 encoded bytes.
    public static let copyLimit = 74_994

    /// Asks the terminal to copy a text to the user's clipboard, including over ssh (OSC 52).
    public func copy(_ text: String) -> CopyResult {
        guard isModern else { return .unsupported }
        guard text.utf8.count <= Self.copyLimit else { return .tooLong(limit: Self.copyLimit) }
        let sequence = Self.copySequence(text, isInTmux: isInTmux)
        return tty.write(sequence) ? .sent : .unsupported
    }

    var isInTmux: Bool { environment["TMUX"].map { !$0.isEmpty } ?? false }

    /// Returns the sequence that copies a text.
    ///
    /// tmux accepts the plain form with `set-clipboard on`, and passes the wrapped form to the
    /// outer terminal with `allow-passthrough`. Both are sent.
    static func copySequence(_ text: String, isInTmux: Bool) -> String {
        let plain = "\u{1B}]52;c;" + Data(text.utf8).base64EncodedString() + "\u{07}"
        return isInTmux ? plain + passedThroughTmux(plain) : plain
    }

    /// Returns the form of a sequence that tmux passes on with `allow-passthrough`.
    static func passedThroughTmux(_ sequence: String) -> String {
        "\u{1B}Ptmux;" + sequence.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\"
    }
}
