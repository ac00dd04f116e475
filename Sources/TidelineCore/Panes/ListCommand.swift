/// A command on a whole list, such as an import from a file. The screen lists commands by name.
public struct ListCommand: Hashable, Sendable {
    /// The unique name, in the style of `import-servers`.
    public let name: String
    /// The title, as in a menu.
    public let title: String
    /// The placeholder of the argument, such as `FILE`; `nil` if the command has none.
    public var argument: String?
    /// The pane whose list has the command.
    public let pane: PaneID
    /// Whether the command writes to the store. Other commands only change the content of the list.
    public var writes = true

    /// All commands of the program's data models.
    public static let standard = DataModels.standard.flatMap(\.commands)
}

/// Whether a list's command is possible now, and with which arguments.
public struct CommandOffer: Hashable, Sendable {
    /// Whether the command is possible, apart from the lock on writing.
    public var availability: Availability
    /// The arguments to choose from; empty if any text is possible.
    public var choices: [String]

    /// Creates an offer.
    public init(_ availability: Availability = .available, choices: [String] = []) {
        self.availability = availability
        self.choices = choices
    }
}
