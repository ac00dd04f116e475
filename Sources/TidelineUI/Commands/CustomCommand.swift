/// A command of the user, from the configuration file.
struct CustomCommand: Hashable, Sendable {
    /// The destination of the program's output.
    enum Output: String, Hashable, Sendable, CaseIterable {
        /// The output is shown in a dialog that scrolls.
        case popup
        /// The output goes to the terminal, which the program controls until it ends.
        case terminal
        /// The output is not shown. If the program fails, the screen shows the last line of its
        /// output.
        case none
    }

    /// The maximum length of a title, in characters.
    static let titleLimit = 80

    /// The name for the command palette.
    var name: String
    var title: String
    /// The names of the panes where the command applies; empty for all.
    var panes: [String] = []
    var template: CommandTemplate
    var output = Output.popup
    /// Whether to read the store's files again afterward.
    var reloads = false
}
