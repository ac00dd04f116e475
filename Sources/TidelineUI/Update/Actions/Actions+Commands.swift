import TidelineCore

extension CustomCommand {
    var action: Action {
        Action(
            name, title, .commands, scope: panes.isEmpty ? .everywhere : .panes(panes),
            unless: { $0.whyNoRun(of: self) }
        ) { model, _ in model.run(self) }
    }
}

extension Action {
    /// The commands that data models have for their lists.
    static let listCommands: [Action] = ListCommand.standard.map { command in
        Action(
            command.name, command.title, .lists, argument: command.argument,
            unless: { $0.whyNoRun(of: command) }
        ) { model, call in model.run(command, call.argument) }
    }
}
