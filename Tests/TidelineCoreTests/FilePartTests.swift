import Replication
import Synchronization
import TestSupport
import Testing

@testable import TidelineCore

/// A part whose file is written by other programs.
@Suite(.timeLimit(.minutes(30))) struct FilePartTests {
    private let slate = Slate("a")

    private func opened(
        pause: Duration = .zero, patience: Duration = .zero
    ) async -> (SlatePart, ComposedSession, EventLog) {
        let part = SlatePart(slate, pause: pause, patience: patience)
        let session = ComposedSession(path: "slate", parts: [part], isWritable: false)
        let events = EventLog(session)
        #expect(await next(events) == (slate.text == nil ? "not read: half-written" : "a"))
        return (part, session, events)
    }

    private func next(_ events: EventLog) async -> String? {
        await events.next { _ in true }?.summary
    }

    @Test func unreadableFileKeepsItsContentUntilItIsReadAgain() async {
        let (part, session, events) = await opened()
        #expect(part.status.phase == .live && part.status.problems.isEmpty)
        slate.write(nil)
        #expect(await next(events) == "not read: half-written")
        #expect(part.status.phase == .live && part.status.problems == ["half-written"])
        slate.write("b")
        #expect(await next(events) == "b")
        #expect(part.status.phase == .live && part.status.problems.isEmpty)
        await session.close()
    }

    @Test func unreadableFileIsLoadedOnceItIsReadable() async throws {
        slate.write(nil)
        let (part, session, events) = await opened()
        guard case .failed(let failure) = part.status.phase else {
            Issue.record("\(part.status.phase)")
            return
        }
        #expect(failure.reason == "half-written")
        await #expect(throws: SessionFailure.self) { try await part.reload() }
        #expect(await next(events) == "not read: half-written")
        slate.write("b")
        #expect(await next(events) == "b")
        #expect(part.status.phase == .live)
        await session.close()
    }

    @Test func deletedFileIsMissingUntilItIsBack() async throws {
        let (part, session, events) = await opened()
        slate.delete()
        #expect(await events.next { _ in true }?.kind == .deleted)
        #expect(part.status.phase == .missing)
        let failure = await #expect(throws: SessionFailure.self) { try await session.reload() }
        #expect(failure?.reason == "wiped")
        slate.write("b")
        #expect(await events.next { _ in true }?.kind == .returned)
        #expect(await next(events) == "b")
        #expect(part.status.phase == .live && part.status.problems.isEmpty)
        await session.close()
    }

    @Test func damagedFileInPlaceOfADeletedOneIsNotMissing() async {
        let (part, session, events) = await opened()
        slate.delete()
        #expect(await events.next { _ in true }?.kind == .deleted)
        slate.write(nil)
        #expect(await events.next { _ in true }?.kind == .returned)
        #expect(await next(events) == "not read: half-written")
        #expect(part.status.phase == .live && part.status.problems == ["half-written"])
        await session.close()
    }

    @Test func fileThatIsCompletedInTimeIsNotReportedAsUnreadable() async throws {
        let (part, session, events) = await opened(patience: .seconds(2))
        slate.write(nil)
        try await wait { slate.readCount >= 2 }
        slate.write("b")
        #expect(await next(events) == "b")
        #expect(part.status.problems.isEmpty)
        await session.close()
    }

    @Test func changesInQuickSuccessionAreReadTogether() async {
        let (_, session, events) = await opened(pause: .milliseconds(500))
        for _ in 0..<100 { slate.write("b") }
        #expect(await next(events) == "b")
        slate.write("c")
        #expect(await next(events) == "c")
        #expect(slate.readCount == 3)
        await session.close()
    }

    @Test func closedPartSendsNoEvents() async throws {
        let sent = Counter()
        let part = SlatePart(slate)
        part.start { _ in sent.add() }
        _ = try await part.loadedStore()
        #expect(sent.count == 1)
        await part.close()
        slate.write("b")
        try await part.reload()
        #expect(slate.readCount >= 2 && sent.count == 1)
    }
}

/// A file whose content the test writes.
private final class Slate: Sendable {
    private struct State {
        var text: String?
        var isDeleted = false
        var readCount = 0
        var noteChange: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ text: String) { state = Mutex(State(text: text)) }

    var text: String? { state.withLock { $0.text } }
    var readCount: Int { state.withLock { $0.readCount } }

    /// Writes a text, or with `nil` the start of one, and reports the change.
    func write(_ text: String?) {
        let noteChange = state.withLock { state in
            (state.text, state.isDeleted) = (text, false)
            return state.noteChange
        }
        noteChange?()
    }

    func delete() {
        let noteChange = state.withLock { state in
            state.isDeleted = true
            return state.noteChange
        }
        noteChange?()
    }

    func read() throws(CoreError) -> String {
        let (text, isDeleted) = state.withLock { state in
            state.readCount += 1
            return (state.text, state.isDeleted)
        }
        if isDeleted { throw CoreError(.notFound, "wiped") }
        guard let text else { throw CoreError(.badData, "half-written") }
        return text
    }

    func watch(_ noteChange: @escaping @Sendable () -> Void) {
        state.withLock { $0.noteChange = noteChange }
    }
}

/// The part of a ``Slate``. Its events contain the text.
private final class SlatePart: FilePart {
    let panes: [Pane] = []
    let lifecycle: StoreLifecycle<Slate>
    private let slate: Slate

    init(_ slate: Slate, pause: Duration = .zero, patience: Duration = .zero) {
        self.slate = slate
        lifecycle = StoreLifecycle(stage: "reading the slate", pause: pause, patience: patience)
    }

    var status: PartStatus {
        PartStatus(
            phase: lifecycle.phase, problems: lifecycle.failure.map { [$0.reason] } ?? [])
    }

    func open() -> Slate { slate }

    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? {
        slate.watch(noteChange)
        return slate
    }

    func look(at slate: Slate) throws {
        let text = try slate.read()
        lifecycle.noteRead()
        lifecycle.emit(.status, text)
    }

    func report(_ failure: SessionFailure, isNew: Bool, of slate: Slate) {
        lifecycle.emit(.status, "not read: \(failure.reason)")
    }
}

private final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
}
