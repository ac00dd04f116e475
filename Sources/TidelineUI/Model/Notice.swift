/// A line for a person at the foot of the screen, until the next key.
public struct Notice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case info, done, warning, error }

    public var kind: Kind
    public var text: String

    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
