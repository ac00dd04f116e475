import ArgumentParser
import CommandSupport

/// The program behind `tideline docs sync` and `tideline docs serve`. It stands on SwiftNIO, which
/// takes minutes to build and `tideline` does without.
@main
struct TidelineSync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-sync",
        abstract: "What tideline docs sync and tideline docs serve run.",
        subcommands: [SyncCommand.self, ServeCommand.self])

    static func main() async {
        // The thread that became this program may have blocked what is to end it.
        CommandProgram.prepare()
        await CommandProgram.run(Self.self)
    }
}
