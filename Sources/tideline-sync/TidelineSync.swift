import ArgumentParser
import DocumentSyncArguments
import Foundation
import Glibc
import Replication

/// The program behind `tideline docs sync` and `tideline docs serve`. It stands on SwiftNIO, which
/// takes minutes to build and `tideline` does without.
@main
struct TidelineSync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-sync",
        abstract: "What tideline docs sync and tideline docs serve run.",
        subcommands: [SyncCommand.self, ServeCommand.self])

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow (ulimit -f) is a write that fails, and is told.
        signal(SIGXFSZ, SIG_IGN)
        // The thread that became this program may have blocked what is to end it.
        var endings = sigset_t()
        sigemptyset(&endings)
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&endings, number) }
        pthread_sigmask(SIG_UNBLOCK, &endings, nil)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as Failure {
            error.end()
        } catch {
            let code = exitCode(for: error)
            if code == .success || error is ExitCode { exit(withError: error) }
            Failure(.usage, "usage", message(for: error)).end()
        }
    }
}

/// An error as it is printed: `tideline: WHAT FAILED: WHY`.
struct Failure: Error {
    let kind: FailureKind
    let what: String
    let why: String
    var wayOut: String?

    init(_ kind: FailureKind, _ what: String, _ why: String, wayOut: String? = nil) {
        self.kind = kind
        self.what = what
        self.why = why
        self.wayOut = wayOut
    }

    /// Any error, about `what` where it does not know its subject.
    init(_ error: any Error, while what: String) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any ExplainedError:
            // An error of the network may begin with the address that it is about.
            let reason = error.reason.trimmingPrefix("\(what): ")
            self.init(error.kind, error.subject ?? what, String(reason), wayOut: error.wayOut)
        default: self.init(.inputOutput, what, String(describing: error))
        }
    }

    func end() -> Never {
        EventPrinter.note("tideline: \(what): \(why)")
        if let wayOut { EventPrinter.note("  \(wayOut)") }
        exit(kind.rawValue)
    }
}
