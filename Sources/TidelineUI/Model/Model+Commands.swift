import Replication
import TidelineCore

/// A custom command in progress.
struct RunningCommand: Hashable, Sendable {
    var id: RequestID
    var command: CustomCommand
    /// The values that were read so far, by placeholder.
    var values: [CommandTemplate.Placeholder: String]
}

struct CommandState: Hashable, Sendable {
    /// The command in progress; there is at most one.
    var running: RunningCommand?
    /// The output of a command that ended while a dialog was open.
    var finished: CommandOutput?
}

extension Model {
    /// Returns the reason why a command can't run with the selected row; `nil` if it can.
    func whyNoRun(of command: CustomCommand) -> String? {
        if let running = commands.running {
            let key = keymap.hint(for: "back")
            return "“\(running.command.title)” is still running; press \(key) to cancel it"
        }
        let placeholders = command.template.placeholders
        if placeholders.contains(.pane), placeName == nil { return whyNoPanes }
        guard placeholders.contains(where: \.isAboutRow) else { return nil }
        if let reason = whyNoRow { return reason }
        if list?.selectedRow?.isFolder == true {
            return "a folder is selected; press Enter to open it"
        }
        if placeholders.contains(.value), let reason = list?.source.whyNoValue {
            return "{value} isn't possible here: \(reason)"
        }
        if placeholders.contains(.device), list?.selectedRow?.device == nil {
            return "the device that wrote this row isn't known"
        }
        return nil
    }

    /// The name of the pane or panel that has the focus.
    var placeName: String? {
        panels.focus == .events ? Navigation.eventsName : pane?.id.name
    }

    /// Returns whether the focused pane or panel is among those with names for `--pane`.
    func isIn(_ panes: [String]) -> Bool {
        let names = panels.focus == .events ? [] : [pane?.id.text].compactMap(\.self)
        return (names + [placeName].compactMap(\.self)).contains(where: panes.contains)
    }

    /// Starts a command. If it uses values of the row, requests them first.
    mutating func run(_ command: CustomCommand) -> [Effect] {
        let placeholders = command.template.placeholders
        // A path must not look like an option.
        var values = [
            CommandTemplate.Placeholder.path:
                session.path.hasPrefix("-") ? "./" + session.path : session.path
        ]
        values[.pane] = placeName
        var running = RunningCommand(id: requests.newID(), command: command, values: values)
        guard let list, let row = list.selectedRow else { return start(running) }
        running.values[.device] = row.device?.name
        guard placeholders.contains(.row) || placeholders.contains(.value) else {
            return start(running)
        }
        running.values[.row] = place(of: row.id)?.row ?? row.id.name
        commands.running = running
        return [.copyForms(running.id, list.source.id, row.id, list.query, chosen: [])]
    }

    /// Receives the values of the row for a command; `nil` if no command requested them.
    mutating func receiveCommandValues(_ id: RequestID, _ answer: Answer<[CopyForm]>) -> [Effect]? {
        guard var running = commands.running, running.id == id else { return nil }
        commands.running = nil
        defer { if commands.running == nil { closeLeaving(dueTo: id) } }
        let title = running.command.title
        switch answer {
        case .failure(let failure):
            return say(.error, "\(title): \(failure.message)")
        case .success(let forms):
            let text = { (name: String) in forms.first { $0.name == name }?.text }
            // A row of the log is a write, so use the key of that write.
            running.values[.row] = text("key") ?? running.values[.row]
            running.values[.value] = text("value") ?? text("JSON")
            if running.command.template.placeholders.contains(.value),
                running.values[.value] == nil
            {
                return say(.warning, "\(title): this row has no value")
            }
            return start(running)
        }
    }

    /// The longest argument that Linux passes to a program, in bytes.
    private static let argumentLimit = 131_071

    /// Starts the program if all values can be arguments.
    private mutating func start(_ running: RunningCommand) -> [Effect] {
        let command = running.command
        let arguments = command.template.arguments(running.values)
        if arguments.contains(where: { $0.utf8.contains(0) }) {
            return say(.error, "\(command.title): a value contains a null character")
        }
        if let long = arguments.first(where: { $0.utf8.count > Self.argumentLimit }) {
            return say(
                .error,
                "\(command.title): a value of \(Counted.grouped(long.utf8.count)) bytes is too "
                    + "long for a command line (limit \(Counted.grouped(Self.argumentLimit)))")
        }
        commands.running = running
        guard command.output != .terminal else {
            return [.terminal(.run(running.id, arguments))]
        }
        let key = keymap.hint(for: "back")
        say(.info, "\(command.title): running … (\(key): cancel)")
        return [.runProgram(running.id, arguments)]
    }

    mutating func cancel(_ running: RunningCommand) -> [Effect] {
        commands.running = nil
        say(.info, "\(running.command.title): canceled")
        return [.cancel(running.id)]
    }

    /// Reports how a command ended, and shows its output.
    mutating func receiveRan(_ id: RequestID, _ answer: Answer<CommandResult>) -> [Effect] {
        guard let running = commands.running, running.id == id else { return [] }
        commands.running = nil
        closeLeaving(dueTo: id)
        let command = running.command
        switch answer {
        case .failure(let failure): say(.error, "\(command.title): \(failure.message)")
        case .success(let result):
            let ending =
                result.wasEnded
                ? "stopped, because \(CommandResult.whyEnded)"
                : result.code == 0 ? "done" : "exited with \(result.code)"
            var text = "\(command.title): \(ending)"
            switch command.output {
            case .popup where result.output.isEmpty:
                text += ", without output"
            case .popup:
                commands.finished = CommandOutput(
                    command.title, result, columns: panels.size.columns)
                if overlay != nil { text += "; its output opens when this dialog closes" }
            case .none where result.code != 0:
                if let line = result.lastLine { text += ": \(line)" }
            case .none, .terminal: break
            }
            say(result.code == 0 ? .done : .error, text)
        }
        guard command.reloads else { return [] }
        session.version += 1
        return [.reload(after: notice)]
    }

    /// Shows the output of a command once no dialog is open.
    mutating func showFinishedOutput() {
        guard overlay == nil, let finished = commands.finished else { return }
        commands.finished = nil
        pendingInput.clearSequence()
        overlay = Overlay(finished)
    }
}
