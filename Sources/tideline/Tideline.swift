import ArgumentParser
import CBuildInformation
import CommandSupport
import Glibc

/// The program: `tideline PATH` opens the browser; everything else is a subcommand.
@main
struct Tideline: AsyncParsableCommand {
    /// The version, with the commit if the program was built by `Packaging/install`.
    static let version: String = {
        let commit = String(cString: tideline_commit())
        return commit.isEmpty ? "0.1.0" : "0.1.0 (\(commit))"
    }()

    static let configuration = CommandConfiguration(
        commandName: "tideline",
        abstract: "Browse, edit and watch local-first stores.",
        discussion: """
            Without a path, opens the store that was opened last.

            Example: tideline Notes.store
            """,
        version: version,
        subcommands: [Browse.self, DemoLifeCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "ANY STORE",
                subcommands: [
                    Info.self, DiffCommand.self, Blame.self, Extract.self, Devices.self,
                    DoctorCommand.self, Watch.self, Undo.self, GitCommands.self, Demo.self,
                    ConfigCommand.self,
                ]),
            CommandGroup(
                name: "KEY-VALUE",
                subcommands: [
                    KeyValueCommands.self, Log.self, Conflicts.self, Resolve.self, Ignore.self,
                    Restore.self, Merge.self, Blobs.self,
                ]),
            CommandGroup(name: "ENTITIES", subcommands: [EntityCommands.self]),
            CommandGroup(name: "SERVERS", subcommands: [ServersCommands.self]),
            CommandGroup(name: "DOCUMENTS", subcommands: [DocumentCommands.self]),
            CommandGroup(name: "TABLES", subcommands: [TablesCommands.self]),
        ],
        defaultSubcommand: Browse.self)

    static func main() {
        CommandProgram.prepare()
        Task.detached {
            await CommandProgram.run(Self.self)
            Glibc.exit(EXIT_SUCCESS)
        }
        MainThread.serve()
    }
}
