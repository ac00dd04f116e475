import ArgumentParser
import CommandSupport
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
        let session = try Failure.of(store.path) {
            // A storage folder of automerge-repo can be watched too.
            if try !StoreKind.isFolder(store.path) { _ = try StoreKind.package(at: store.path) }
            return try StoreOpener(device: try UserState().deviceForReading(option: device)).open(
                store.path)
        }
        Output.endWithReader()
        // Nothing is told before it is said what there is.
        var early: [SessionEvent]? = []
        for await event in Self.all(of: session) {
            guard let report = event.report else {
                if case .failed(let failure) = session.status.phase {
                    throw Failure(failure, of: store.path)
                }
                continue
            }
            guard let before = early else {
                try await tell(event)
                continue
            }
            early = before + [event]
            guard report.event == "loaded", report.store == session.panes.first?.id.part else {
                continue
            }
            early = nil
            for event in [event] + before { try await tell(event) }
        }
    }

    /// Every event, however slowly they are told.
    private static func all(of session: any StoreSession) -> AsyncStream<SessionEvent> {
        let events = session.events()
        let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        Task {
            for await event in events { continuation.yield(event) }
            continuation.finish()
        }
        return stream
    }

    private func tell(_ event: SessionEvent) async throws {
        guard let report = event.report else { return }
        let text = json.json ? report.json(at: event.date).line : Printable.line(report.text)
        if json.json { Output.line(text) } else { Output.text(text) }
        Output.flush()
        if let exec { try await run(exec, input: text + "\n") }
    }

    /// Runs a command to its end; the next event waits for it.
    private func run(_ command: String, input: String) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        let pipe = Pipe()
        process.standardInput = pipe
        let (reason, status) = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = {
                continuation.resume(returning: ($0.terminationReason, $0.terminationStatus))
            }
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
        guard status != 0 else { return }
        let ending = reason == .uncaughtSignal ? "ended by signal" : "ended with"
        Output.note("tideline: --exec \(Printable.line(command)): \(ending) \(status)")
    }
}
