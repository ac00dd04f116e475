import ArgumentParser
import CommandSupport

/// The program behind `tideline docs sync` and `tideline docs serve`. It is separate because it
/// needs SwiftNIO, which takes minutes to build.
@main
struct TidelineSync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-sync",
        abstract: "The program behind tideline docs sync and tideline docs serve.",
        subcommands: [SyncCommand.self, ServeCommand.self])

    static func main() async {
        CommandProgram.prepare()
        await CommandProgram.run(Self.self)
    }
}
