import TidelineCore
import Yams

/// Parsing of custom commands.
extension ConfigurationReader {
    private static let commandNames = [
        "run", "title", "key", "panes", "output", "shell", "reload",
    ]

    mutating func readCommands(_ node: Node) {
        for (key, value) in mapping(node, "commands must be lines of the form name: settings") {
            guard let name = key.scalar?.string, isCommandName(name) else {
                report(
                    key,
                    "commands: \(name(key)) is not a valid name: use letters, digits and dashes")
                continue
            }
            guard Action.named(name) == nil else {
                report(key, "commands: \(name) is the name of an action")
                continue
            }
            guard case .mapping(let mapping) = value else {
                report(value, "commands: \(name): expected settings, at least “run”")
                continue
            }
            read(Array(mapping), of: name, at: key)
        }
    }

    private func isCommandName(_ name: String) -> Bool {
        !name.isEmpty && name.count <= CustomCommand.titleLimit
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }

    /// Reads a command. A command with a mistake isn't defined. If the only problem is that another
    /// action has its key, the command is defined without the key.
    private mutating func read(
        _ settings: [(key: Node, value: Node)], of name: String, at place: Node
    ) {
        let before = configuration.problems.count
        var line: (text: String, node: Node)?
        var title = name
        var panes: [String] = []
        var keys: [String] = []
        var keyNode = place
        var output = CustomCommand.Output.popup
        var (isShell, reloads) = (false, false)
        for (key, value) in settings {
            let setting = key.scalar?.string ?? ""
            let path = "commands: \(name): \(setting)"
            switch setting {
            case "run":
                if let text = value.scalar?.string {
                    line = (text, value)
                } else {
                    report(value, "\(path) must be a command line")
                }
            case "title":
                if let text = value.scalar?.string, isTitle(text) {
                    title = text
                } else {
                    report(
                        value,
                        "\(path) must be a line of at most \(CustomCommand.titleLimit) characters")
                }
            case "key": (keys, keyNode) = (words(value, path, "key") ?? [], value)
            case "panes":
                panes = words(value, path, "pane") ?? []
                checkPanes(panes, path, value)
            case "output":
                if let known = value.scalar.flatMap({ CustomCommand.Output(rawValue: $0.string) }) {
                    output = known
                } else {
                    report(value, "\(path) must be popup, terminal or none")
                }
            case "shell", "reload":
                guard let isOn = flag(value) else {
                    report(value, "\(path) must be true or false")
                    continue
                }
                if setting == "shell" { isShell = isOn } else { reloads = isOn }
            default:
                let known = Self.commandNames.joined(separator: ", ")
                report(
                    key,
                    "commands: \(name): unknown setting \(self.name(key)); the settings are \(known)"
                )
            }
        }
        guard let line else {
            if configuration.problems.count == before {
                report(place, "commands: \(name) has no command line: run is missing")
            }
            return
        }
        do throws(CommandTemplate.Problem) {
            let template = try CommandTemplate(line.text, isShell: isShell)
            guard configuration.problems.count == before else { return }
            let command = CustomCommand(
                name: name, title: title, panes: panes, template: template, output: output,
                reloads: reloads)
            for problem in configuration.keymap.add(command, keys: keys) {
                report(keyNode, "commands: \(name): key: \(problem)")
            }
        } catch {
            report(line.node, "commands: \(name): run: \(error.message)")
        }
    }

    private func isTitle(_ text: String) -> Bool {
        !text.isEmpty && text.count <= CustomCommand.titleLimit && Sanitizer.visible(text) == text
    }

    /// Reports the names that aren't panes.
    mutating func checkPanes(_ panes: [String], _ path: String, _ node: Node) {
        let known = PaneID.standard.flatMap { [$0.text, $0.name] } + [Navigation.eventsName]
        for pane in panes where !known.contains(pane) {
            let names = (PaneID.standard.map(\.name) + [Navigation.eventsName]).uniqued()
            report(
                node,
                "\(path): unknown pane “\(pane)”; the panes are \(names.joined(separator: ", "))")
        }
    }
}
