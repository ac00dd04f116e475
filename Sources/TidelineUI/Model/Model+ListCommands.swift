import Foundation
import TidelineCore

extension Model {
    /// Returns the reason why a command can't run now; `nil` if it can.
    func whyNoRun(of command: ListCommand) -> String? {
        guard let offer = offer(of: command) else {
            return "this store has no \(command.pane.name)"
        }
        // If there is a reason that unlocking doesn't remove, show it first.
        if let reason = offer.availability.reason { return reason }
        return command.writes ? whyNoWriting : nil
    }

    /// Previews a command. If its argument is missing, asks for it.
    mutating func run(_ command: ListCommand, _ argument: String) -> [Effect] {
        guard let (list, offer) = list(with: command) else { return [] }
        let argument = argument.trimmingCharacters(in: .whitespaces)
        if argument.isEmpty, command.argument != nil {
            if offer.choices.isEmpty {
                overlay = Overlay(CommandPalette(text: TextField("\(command.name) ")))
            } else {
                let items = offer.choices.map {
                    Menu.Item(title: $0, choice: .command(command, $0))
                }
                overlay = Overlay(Menu(title: command.title, items: items))
            }
            return []
        }
        if command.writes { say(.info, "preparing the preview …") }
        return askPreview(
            .edit, source: list.source.id, [.run(command, argument: argument)])
    }
}

extension ScreenState {
    /// Returns the list that has a command, in any pane, with the offer of the command.
    fileprivate func list(with command: ListCommand) -> (list: ListState, offer: CommandOffer)? {
        navigation.panes.lazy.compactMap { pane in
            let list = pane.lists[0]
            return list.source.commands[command].map { (list, $0) }
        }.first
    }

    /// Returns whether a command is possible, and its arguments; `nil` if no list has the command.
    func offer(of command: ListCommand) -> CommandOffer? { list(with: command)?.offer }

    /// The commands of the current pane's list.
    var commandsHere: [ListCommand] {
        ListCommand.standard.filter { pane?.lists[0].source.commands[$0] != nil }
    }
}
