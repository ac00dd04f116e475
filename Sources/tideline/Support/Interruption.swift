import ArgumentParser
import Dispatch
import Glibc
import Synchronization

/// The signals SIGINT and SIGTERM during long work. If one arrives, a write is rolled back. Signals
/// that were ignored when the program started are still ignored.
final class Interruption {
    private final class Received: Sendable {
        /// The received signal; 0 for none.
        let number = Atomic<CInt>(0)
    }

    private let received = Received()
    private var sources: [any DispatchSourceSignal] = []

    init() {
        for number in EndingSignals.handled {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [received] in
                received.number.store(number, ordering: .relaxed)
            }
            source.activate()
            sources.append(source)
        }
    }

    /// A check for a received signal. Any thread can call it.
    var isSet: @Sendable () -> Bool {
        { [received] in received.number.load(ordering: .relaxed) != 0 }
    }

    /// The exit code for the received signal; `nil` if none was received.
    var exitCode: ExitCode? {
        let number = received.number.load(ordering: .relaxed)
        return number == 0 ? nil : ExitCode(128 + number)
    }
}
