/// A value as typed by the user, with its type: `--as TYPE VALUE` on the command line.
public struct TypedText: Hashable, Sendable, Codable {
    /// The type that the text is parsed as.
    public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
        case string, integer, real, boolean, date, data, json
        /// Types that documents have, but property lists don't.
        case counter, timestamp, text, map, list, null
        /// A reference to a row of the same store, by identifier or name.
        case relationship

        /// The name on the screen, which is the same as in lists.
        public var title: String { self == .data ? "bytes" : rawValue }

        /// Creates a type from the name that commands and files use, or from its ``title``.
        public init?(named name: String) {
            self.init(rawValue: name == Self.data.title ? Self.data.rawValue : name)
        }
    }

    /// The type.
    public var kind: Kind
    /// The value, as typed for its type.
    public var text: String

    /// Creates a typed value. The text isn't parsed until the value is written.
    public init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
