/// A part of a text that one actor wrote.
public struct AuthoredText: Hashable, Sendable {
    /// The characters.
    public let text: String
    /// The actor that inserted the characters.
    public let actor: ActorId

    /// Creates a part of a text.
    public init(_ text: String, by actor: ActorId) {
        self.text = text
        self.actor = actor
    }
}
