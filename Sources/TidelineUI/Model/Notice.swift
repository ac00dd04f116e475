/// A message at the bottom of the screen, shown until the next key press.
public struct Notice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case info, done, warning, error }

    public var kind: Kind
    public var text: String
    /// Whether to limit the notice to one line. The screen shows the rest elsewhere.
    public var isBrief: Bool
    /// The step of the guided tour that the notice shows, if any.
    var tourStep: TourStep?

    public init(_ kind: Kind, _ text: String, isBrief: Bool = false) {
        self.kind = kind
        self.text = text
        self.isBrief = isBrief
    }
}
