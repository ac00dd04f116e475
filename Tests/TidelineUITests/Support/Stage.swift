import Foundation
import Replication
import Synchronization
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// A screen over a session, usually a fake one. It takes keys, runs effects, delivers their answers
/// and draws surfaces.
final class Stage {
    static let start = Timestamp(microseconds: 800_000_000_000_000)

    var model: Model
    private let live: any StoreSession
    private let fake: FakeSession?
    let theme: Theme
    private(set) var effects: [Effect] = []
    private(set) var requests: [TerminalRequest] = []
    private let inbox = Inbox()
    private let interpreter: EffectInterpreter

    /// Messages from any thread, awaited without polling.
    private final class Inbox: Sendable {
        private struct State {
            var messages: [Message] = []
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Mutex(State())

        func send(_ message: Message) {
            let waiter = state.withLock { state in
                state.messages.append(message)
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        func take() -> [Message] {
            state.withLock { state in
                defer { state.messages = [] }
                return state.messages
            }
        }

        /// Waits for a message.
        ///
        /// - Returns: Whether a message arrived within five minutes. An answer takes long if many
        ///   tests run at once.
        func wait() async -> Bool {
            let alarm = Task {
                try await Task.sleep(for: .seconds(300))
                wake()
            }
            defer { alarm.cancel() }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.messages.isEmpty { state.waiter = continuation }
                    return !state.messages.isEmpty
                }
                if isReady { continuation.resume() }
            }
            return state.withLock { !$0.messages.isEmpty }
        }

        private func wake() {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }

    /// The fake session. Traps if the stage shows a real store.
    var session: FakeSession {
        guard let fake else { preconditionFailure("this stage shows a real store") }
        return fake
    }

    /// - Parameter pane: The first pane to show.
    init(
        _ session: any StoreSession, pane: String? = nil, columns: Int = 80, rows: Int = 24,
        locked: String? = nil, theme: Theme = .bare, themes: [String] = [],
        themeName: String = "", selecting: RowID? = nil,
        configuration: Configuration = Configuration(), view: StoreView? = nil,
        stores: Model.Stores = Model.Stores(), recentStores: [String] = []
    ) async {
        live = session
        fake = session as? FakeSession
        self.theme = theme
        model = Model(
            path: session.path, size: Size(columns: columns, rows: rows), now: Self.start,
            pane: pane, lockedBecause: locked, configuration: configuration, view: view,
            themeName: themeName, themes: themes, stores: stores, recentStores: recentStores,
            selecting: selecting)
        let inbox = inbox
        interpreter = EffectInterpreter(session: session) { inbox.send($0) }
        interpreter.start()
        await settle()
    }

    deinit { interpreter.stop() }

    /// Sends a message to the model and runs the resulting effects until no answer is outstanding.
    func send(_ message: Message) async {
        take(message)
        await settle()
    }

    /// Performs an action as if called by name.
    func perform(_ action: Action, _ call: Action.Invocation) async {
        let asked = model.perform(action, call)
        effects += asked
        requests += interpreter.run(asked.filter(\.isRunInTests))
        model.pendingInput.isLeft = false
        await settle()
    }

    func take(_ message: Message) {
        let effects = update(&model, message)
        self.effects += effects
        requests += interpreter.run(effects.filter(\.isRunInTests))
        // After leaving, the test continues as if the screen were shown again.
        model.pendingInput.isLeft = false
    }

    /// Presses keys, written as in the configuration. Waits for the answers to each key before the
    /// next.
    func press(
        _ keys: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        for text in keys {
            guard let parsed = KeyNotation.keys(in: text) else {
                Issue.record("\(text) is not the name of a key", sourceLocation: sourceLocation)
                return
            }
            for key in parsed { await send(.input(.key(key))) }
        }
    }

    func type(_ text: String) async {
        for character in text { await send(.input(.key(.character(character)))) }
    }

    func emit(_ kind: SessionEvent.Kind, summary: String = "", device: String? = nil) async {
        await send(
            .event(
                SessionEvent(
                    kind, date: model.now.date, device: device.flatMap { try? DeviceID($0) },
                    summary: summary)))
    }

    func refreshStatus() async {
        await send(.session(snapshot()))
    }

    private func snapshot() -> SessionSnapshot {
        SessionSnapshot(
            status: live.status,
            panes: model.navigation.panes.map {
                PaneInfo(
                    id: $0.id, source: $0.lists[0].source, group: $0.group,
                    listsConflicts: $0.listsConflicts, number: $0.number)
            })
    }

    /// Waits until all requests are answered. The model knows its pending requests, so this never
    /// waits for an answer that can't arrive.
    func settle() async {
        while true {
            let messages = inbox.take()
            for message in messages { take(message) }
            if messages.isEmpty {
                if !model.isWaiting { return }
                guard await inbox.wait() else {
                    Issue.record("no answer arrived: \(model.requests)\n\(text)")
                    return
                }
            }
        }
    }

    /// Waits until a condition holds, for unrequested messages: after a change, a store reports its
    /// new state by events.
    func wait(until condition: (Model) -> Bool) async {
        while !condition(model) {
            guard await inbox.wait() else {
                Issue.record("no message arrived: \(text)")
                return
            }
            await settle()
        }
    }

    func advance(seconds: Double) {
        model.now = Timestamp(
            microseconds: model.now.microseconds + Int64(seconds * 1_000_000))
    }

    /// The open conflict; `nil` if no conflict is open.
    var conflictView: ConflictView? {
        model.overlay?.module as? ConflictView
    }

    var surface: Surface { render(model, theme: theme, size: model.panels.size) }
    var lines: [String] { surface.lines }
    var text: String { lines.joined(separator: "\n") }
}

extension Effect {
    /// Alarms ring only when a test asks for it, and tests show nothing on the desktop.
    fileprivate var isRunInTests: Bool {
        switch self {
        case .wake, .notifyDesktop: false
        default: true
        }
    }
}

extension Model {
    /// Whether an answer is pending.
    var isWaiting: Bool {
        if navigation.panes.isEmpty, session.status.isLoading { return true }
        if navigation.panes.contains(where: { $0.lists.contains { $0.pending != nil } }) {
            return true
        }
        if panelStates.inspector.request != nil || panelStates.conflicts.request != nil
            || panelStates.timeline.request != nil
        {
            return true
        }
        if writing.obstacleRequest != nil { return true }
        // Nothing new is requested for a screen that is too small.
        if let pending = time?.pending, pending.id != nil || !Layout.isTooSmall(panels.size) {
            return true
        }
        if watching.ignored.isAwaited { return true }
        switch requests.awaited?.purpose {
        case nil, .editor: break
        default: return true
        }
        if requests.background != nil || requests.places != nil || requests.export != nil {
            return true
        }
        if let running = commands.running, running.command.output != .terminal { return true }
        return overlay?.isAwaitingAnswer ?? false
    }
}

extension Overlay {
    /// Whether an answer is pending for this overlay or for the one below it.
    fileprivate var isAwaitingAnswer: Bool {
        let isAwaiting =
            switch module {
            case let editor as FieldEditor: editor.isWaiting
            case let dialog as PreviewDialog: dialog.pending != nil
            case let dialog as ChangedRowDialog: dialog.pending != nil
            case let view as ConflictView: view.pending != nil || view.proposalRequest != nil
            case let prompt as Prompt: prompt.values?.request != nil
            default: false
            }
        return isAwaiting || module.over?.isAwaitingAnswer ?? false
    }
}

extension Theme {
    /// A theme with attributes only, as on a monochrome terminal.
    static let bare = Theme(
        name: "bare", background: .plain, isASCII: false,
        styles: [
            .selection: Style(attributes: .reverse),
            .inactiveSelection: Style(attributes: .underline),
            .flash: Style(attributes: .bold), .dim: Style(attributes: .dim),
            .filterError: Style(attributes: .underline),
        ], marks: [:])
}

/// Sample sessions and rows.
enum Sample {
    static func device(_ name: String) throws -> DeviceID { try DeviceID(name) }

    static func entry(
        _ name: String, _ value: String, device: String = "ipad", ago seconds: Int64 = 60,
        kind: TypedText.Kind = .string, sides: [String] = []
    ) throws -> FakeSource.Entry {
        FakeSource.Entry(
            id: RowID(name), kind: kind, value: value, device: try DeviceID(device),
            instant: Timestamp(microseconds: Stage.start.microseconds - seconds * 1_000_000),
            sides: sides)
    }

    static func notes() throws -> FakeSource {
        FakeSource(
            "Keys",
            [
                try entry("note/1/due", "3", kind: .integer, sides: ["3", "5"]),
                try entry("note/1/title", "Groceries", device: "mac", ago: 120),
                try entry("note/2/body", "milk, eggs", ago: 9),
                try entry("note/2/title", "日本", device: "mac", ago: 3_700),
            ])
    }

    static func many(_ count: Int) throws -> FakeSource {
        FakeSource(
            "Keys",
            try (0..<count).map { index in
                let digits = String(index)
                let name = "k" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
                return try entry(name, "value \(index)")
            })
    }

    static func session(
        keys: FakeSource, conflicts: FakeSource? = nil, log: FakeSource? = nil
    ) throws -> FakeSession {
        var panes = [Pane(.keys, keys)]
        if let log { panes.append(Pane(.log, log)) }
        if let conflicts { panes.append(Pane(.conflicts, conflicts, listsConflicts: true)) }
        let newest = Timestamp(microseconds: Stage.start.microseconds - 9_000_000)
        let session = FakeSession(
            panes: panes,
            status: SessionStatus(
                phase: .live, ownDevice: try device("here"),
                devices: [
                    .init(id: try device("ipad"), name: "ipad", state: "ok", newest: newest),
                    .init(id: try device("mac"), name: "mac", state: "ok", newest: newest),
                    .init(
                        id: try device("server"), name: "server", state: "damaged",
                        problem: "half copied"),
                ], conflictCount: keys.entries.count { !$0.sides.isEmpty },
                counts: [.keys: keys.entries.count]))
        session.instants = (1...10).map {
            Timestamp(microseconds: Stage.start.microseconds - Int64(11 - $0) * 60_000_000)
        }
        return session
    }
}
