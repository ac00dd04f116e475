import TidelineCore

/// The actions of a screen: the program's own, and the user's commands.
struct ActionTable: Hashable, Sendable {
    private(set) var commands: [CustomCommand] = []

    /// All actions, in help order.
    var every: [Action] {
        commands.isEmpty ? Action.every : Action.every + commands.map(\.action)
    }

    /// Returns the action with a current or former name.
    func named(_ name: String) -> Action? {
        Action.named(name) ?? commands.first { $0.name == name }?.action
    }

    mutating func add(_ command: CustomCommand) { commands.append(command) }
}

extension CustomCommand {
    /// The command as an action.
    var action: Action {
        Action(
            name, title, .commands, scope: panes.isEmpty ? .everywhere : .panes(panes),
            when: { $0.canRun(self) }
        ) { model, _ in model.run(self) }
    }
}

extension Action {
    /// The commands that data models have for their lists.
    static let listCommands: [Action] = ListCommand.standard.map { command in
        Action(
            command.name, command.title, .lists, argument: command.argument,
            when: { $0.canRun(command) }
        ) { model, call in model.run(command, call.argument) }
    }
}
