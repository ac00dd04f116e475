import Foundation

extension Terminal {
    /// What became of a text for the clipboard.
    public enum CopyResult: Hashable, Sendable {
        /// The terminal was told; whether it obeys, it does not say.
        case sent
        /// More bytes than terminals take: the limit.
        case tooLong(limit: Int)
        /// A terminal that has no clipboard.
        case unsupported
    }

    /// The bytes that may be copied: xterm's limit is 100,000 of them once encoded.
    public static let copyLimit = 74_994

    /// Asks the terminal to put a text on the clipboard of the person who sits at it, over ssh as
    /// well (OSC 52).
    public func copy(_ text: String) -> CopyResult {
        guard isModern else { return .unsupported }
        guard text.utf8.count <= Self.copyLimit else { return .tooLong(limit: Self.copyLimit) }
        let sequence = Self.copySequence(
            text, isInTmux: environment["TMUX"].map { !$0.isEmpty } ?? false)
        return device.write(sequence) ? .sent : .unsupported
    }

    /// The sequence that copies a text.
    ///
    /// tmux takes the plain form when it is set to (`set-clipboard on`), and hands the wrapped one
    /// on to the terminal around it when it is set to that (`allow-passthrough`): it gets both.
    static func copySequence(_ text: String, isInTmux: Bool) -> String {
        let plain = "\u{1B}]52;c;" + Data(text.utf8).base64EncodedString() + "\u{07}"
        guard isInTmux else { return plain }
        let doubled = plain.replacing("\u{1B}", with: "\u{1B}\u{1B}")
        return plain + "\u{1B}Ptmux;" + doubled + "\u{1B}\\"
    }
}
