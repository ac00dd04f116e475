import ArgumentParser
import Foundation
import Replication
import TidelineCore

/// `tideline watch`: what arrives, as it arrives.
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print what devices write, as it becomes visible, until interrupted.",
        discussion: """
            A package that is moved away is waited for.
            Example: tideline watch Notes.store --json --exec './sync-to-calendar'
            """)
    @OptionGroup var store: PathArgument
    @OptionGroup var json: JSONFlag
    @Option(help: "The device whose writes are this one's own (else as for writing).")
    var device: String?
    @Option(help: "A command for the shell to run for each line, which it gets as its input.")
    var exec: String?

    func run() async throws {
        let own = try UserState().device(option: device)
        let events: PackageEvents
        do {
            guard try StoreKind.isFolder(store.path) else {
                throw Failure(.badData, store.path, "a file, not a store package")
            }
            events = try await PackageEvents(StorePackage(opening: store.path), own: own)
        } catch {
            throw Failure(error, while: store.path)
        }
        for await line in events.lines {
            let text = json.json ? JSONValue.object(line.members).line : line.text
            if json.json { Output.line(text) } else { Output.text(text) }
            Output.flush()
            if let exec { try await run(exec, input: text + "\n") }
        }
    }

    /// Runs a command to its end; the next event waits for it.
    private func run(_ command: String, input: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        let pipe = Pipe()
        process.standardInput = pipe
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(
                    throwing: Failure(.inputOutput, "--exec", "/bin/sh cannot be run"))
                return
            }
            // A command that does not read its input ends all the same.
            try? pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try? pipe.fileHandleForWriting.close()
        }
        if status != 0 {
            Output.note("tideline: --exec \(Printable.line(command)): ended with \(status)")
        }
    }
}
