import TidelineCore

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
