/// A value to choose for a field, such as the key of a referenced row.
public struct ValueChoice: Hashable, Sendable {
    /// The value.
    public let value: TypedText
    /// The value and the item it refers to, in one line.
    public let title: String
}

/// The values to choose from for a field.
public struct ValueChoices: Hashable, Sendable {
    /// The source of the values, such as the name of the referenced table, and the number of listed
    /// values if not all are listed.
    public let title: String
    /// The first values that match, in the order of their source.
    public let choices: [ValueChoice]
    /// Whether more values match than are listed.
    public let isCut: Bool
}
