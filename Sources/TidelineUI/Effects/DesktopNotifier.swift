import Synchronization
import TidelineCore

/// Shows notifications on the desktop with `notify-send`. At most one notifying process runs at a
/// time, for a limited time. If several notifications arrive while it runs, only the last one is
/// shown.
final class DesktopNotifier: Sendable {
    /// The maximum size of a notification, in bytes.
    static let textLimit = 400

    private struct State {
        var isShowing = false
        var waiting: String?
    }

    private let program: String
    private let timeLimit: Duration
    private let fail: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - timeLimit: The time after which a run of the program is ended.
    ///   - fail: Receives the reason if a notification can't be shown.
    init(
        program: String = "notify-send", timeLimit: Duration = .seconds(5),
        fail: @escaping @Sendable (String) -> Void
    ) {
        self.program = program
        self.timeLimit = timeLimit
        self.fail = fail
    }

    /// Shows a text. Returns immediately.
    func show(_ text: String) {
        let isIdle = state.withLock { state in
            state.waiting = text
            defer { state.isShowing = true }
            return !state.isShowing
        }
        guard isIdle else { return }
        Task {
            while let text = next() { await run(text) }
        }
    }

    /// Returns the waiting text. If there is none, records that no program is running.
    private func next() -> String? {
        state.withLock { state in
            defer { state.waiting = nil }
            state.isShowing = state.waiting != nil
            return state.waiting
        }
    }

    private func run(_ text: String) async {
        let arguments = [program] + Self.arguments(for: text)
        let running = Task { try await CapturedProgram.run(arguments) }
        let timer = Task {
            try await Task.sleep(for: timeLimit)
            running.cancel()
        }
        defer { timer.cancel() }
        do {
            let result = try await running.value
            guard result.code != 0 else { return }
            fail(
                running.isCancelled
                    ? "\(program): no answer in \(timeLimit.components.seconds) s"
                    : "\(program): \(result.lastLine ?? "exit code \(result.code)")")
        } catch let error as ChildProgram.StartError {
            fail("\(error)")
        } catch {
            fail("\(program): \(RequestFailure(error).message)")
        }
    }

    /// Returns the arguments of `notify-send`. Control characters in the text are made visible, and
    /// its markup is shown as text.
    static func arguments(for text: String) -> [String] {
        let shown = String(Sanitizer.bounded(Sanitizer.visible(text), bytes: textLimit))
        let escaped = shown.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
        return ["--app-name=Tideline", "--", "Tideline", escaped]
    }
}
