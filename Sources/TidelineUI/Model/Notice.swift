/// A line for a person at the foot of the screen, until the next key.
public struct Notice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case info, done, warning, error }

    public var kind: Kind
    public var text: String
    /// Whether it has one line, however long it is: the screen shows the rest of it.
    public var isBrief: Bool

    public init(_ kind: Kind, _ text: String, isBrief: Bool = false) {
        self.kind = kind
        self.text = text
        self.isBrief = isBrief
    }
}
