/// A message at the bottom of the screen, shown until the next key press.
public struct Notice: Hashable, Sendable {
    /// The kind of notice, which determines its look.
    public enum Kind: Hashable, Sendable { case info, done, warning, error }

    /// The kind of notice.
    public var kind: Kind
    /// The text.
    public var text: String
    /// Whether to limit the notice to one line. Used if another part of the screen shows the full
    /// text.
    public var isBrief: Bool
    /// The step of the guided tour to show below the text, if any.
    var tourText: String?

    /// Creates a notice.
    public init(_ kind: Kind, _ text: String, isBrief: Bool = false) {
        self.kind = kind
        self.text = text
        self.isBrief = isBrief
    }
}
