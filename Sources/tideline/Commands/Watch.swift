import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the changes of all devices as they arrive, until interrupted.",
        discussion: """
            If the package disappears, waits for it to come back.

            Example: tideline watch Notes.store --json --exec './sync-to-calendar'
            """)
    @OptionGroup var store: PathArgument
    @OptionGroup var json: JSONFlag
    @Option(
        parsing: .unconditional,
        help: """
            Your own device, by identifier or name: its writes are reported as changed, not as \
            synced (default: the device that commands write as).
            """)
    var device: String?
    @Option(
        help: ArgumentHelp(
            "Run this shell command for each line, with the line as its input.",
            valueName: "command"))
    var exec: String?

    func run() async throws {
        let session = try Failure.of(store.path) {
            do {
                // A storage folder of automerge-repo can also be watched.
                if try !StoreKind.isFolder(store.path) { _ = try StoreKind.package(at: store.path) }
                let option = try device.map { try store.device(named: $0).name }
                let reader = try DeviceOption.forReading(option)
                return try StoreOpener(device: reader).open(store.path)
            } catch let error as ReplicationError where error.code == .notAPackage {
                throw Failure(
                    error.category, store.path, error.reason,
                    suggestion: Self.suggestion(insteadOf: store.path)
                        ?? error.suggestion?.words)
            }
        }
        Output.endWithReader()
        // Prints `loaded` before any other event.
        var early: [SessionEvent]? = []
        for await event in Self.all(of: session) {
            guard let report = event.report else {
                if case .failed(let failure) = session.status.phase {
                    throw Failure(failure, while: store.path)
                }
                continue
            }
            guard let before = early else {
                try await printReport(of: event)
                continue
            }
            early = before + [event]
            guard report.event == "loaded", report.store == session.panes.first?.id.part else {
                continue
            }
            early = nil
            Warnings.report(session.status)
            for event in [event] + before { try await printReport(of: event) }
        }
    }

    /// Returns the suggestion for a folder of stores, or for a file, which can't be watched.
    private static func suggestion(insteadOf path: String) -> String? {
        if let entry = StoreFolder(path).entries.first(where: \.isStore) {
            let store = URL(filePath: path).appending(path: entry.name).path
            return "watch each store in it: " + ShellCommand.line("tideline", "watch", store)
        }
        guard (try? StoreKind(of: path)) != nil else { return nil }
        return "only stores with devices have events; to follow the changes of a file: "
            + ShellCommand.line("tideline", path)
    }

    /// Returns all events. No event is dropped if the consumer is slow.
    private static func all(of session: any StoreSession) -> AsyncStream<SessionEvent> {
        let events = session.events()
        let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        Task {
            for await event in events { continuation.yield(event) }
            continuation.finish()
        }
        return stream
    }

    private func printReport(of event: SessionEvent) async throws {
        guard let report = event.report else { return }
        let text =
            json.json
            ? report.json(at: event.date).line
            : Timestamp(event.date).iso8601 + "  "
                + Printable.line(report.text) + Self.value(of: event)
        if json.json { Output.line(text) } else { Output.text(text) }
        Output.flush()
        if let exec { try await run(exec, input: text + "\n") }
    }

    /// Returns the new value of the only changed key, for the end of a line of text; empty if it
    /// isn't known.
    private static func value(of event: SessionEvent) -> String {
        guard event.values.count == 1, let value = event.values.values.first else { return "" }
        return "  " + Printable.clipped(value, columns: 200)
    }

    /// Runs a command until it exits. The next event waits for it.
    private func run(_ command: String, input: String) async throws {
        let shell = try ChildProgram(
            path: "/bin/sh", arguments: ["-c", command], input: .text(input))
        let ending =
            switch await shell.ending() {
            case .code(0): String?.none
            case .code(let code): "exited with code \(code)"
            case .signal(let signal): "killed by signal \(signal)"
            }
        guard let ending else { return }
        Output.note("tideline: --exec \(Printable.line(command)): \(ending)")
    }
}
