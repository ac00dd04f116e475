import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore
import TidelineUI

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show where the settings are and whether they are valid.",
        discussion: """
            Example: tideline config
            Example: tideline config --example > ~/.config/tideline/config.yaml
            """)
    @OptionGroup var output: JSONFlag
    @Flag(help: "Print a settings file that explains every setting.") var example = false

    func run() throws {
        if example {
            Output.line(ConfigurationFile.example)
            Output.flush()
            return
        }
        let environment = ProcessInfo.processInfo.environment
        let file = ConfigurationFile(environment: environment)
        let settings = file.configuration()
        let themes = ThemeLibrary(environment: environment)
        let state = UserState(environment: environment)
        if output.json {
            let object = JSONValue.object([
                "path": .string(file.path), "exists": .boolean(file.exists),
                "theme": .optional(settings.theme), "device": .optional(settings.device),
                "themes": .string(themes.folder), "state": .string(state.path),
                "problems": .array(settings.problems.map(JSONValue.string)),
            ])
            Output.line(object.line)
        } else {
            Output.line(
                "settings  \(Printable.line(file.path))"
                    + (file.exists ? "" : "  (missing; --example prints an example)"))
            Output.line("themes    \(Printable.line(themes.folder))")
            Output.line("state     \(Printable.line(state.path))")
            if let theme = settings.theme { Output.line("theme     \(Printable.line(theme))") }
            if let device = settings.device { Output.line("device    \(Printable.line(device))") }
        }
        Output.flush()
        for problem in settings.problems { Output.note("tideline: \(problem)") }
        if !settings.problems.isEmpty { throw ExitCode(ErrorCategory.badData.exitCode) }
    }
}
