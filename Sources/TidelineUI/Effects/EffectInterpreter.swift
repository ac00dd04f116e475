public import TidelineCore
import Foundation
import Replication
import Synchronization

/// Runs effects on a session, and sends the results as messages.
/// Requests run concurrently, each in its own task. A canceled request has no answer. The model
/// refers to lists by identifier, and the interpreter keeps the lists themselves.
public final class EffectInterpreter: Sendable {
    private struct State {
        var sources: [SourceID: any RowSource] = [:]
        var panes: [PaneID: SourceID] = [:]
        var lastSource = 0
        var tasks: [RequestID: Task<Void, Never>] = [:]
        var alarms: [Alarm: Task<Void, Never>] = [:]
        /// The time of the last answer, and the task that waits for a pause after it.
        var lastAnswer = ContinuousClock.now
        var rest: Task<Void, Never>?
        var events: Task<Void, Never>?
        var lastSnapshot: SessionSnapshot?
        var next: (any StoreSession)?

        mutating func id(of pane: PaneID) -> SourceID {
            if let known = panes[pane] { return known }
            lastSource += 1
            panes[pane] = SourceID(lastSource)
            return SourceID(lastSource)
        }
    }

    private let session: any StoreSession
    let send: @Sendable (Message) -> Void
    private let opener: (@Sendable (String) throws -> any StoreSession)?
    private let openStores: [String]
    let journal: EditJournal?
    let ignored: IgnoredConflictsFile?
    private let view: SavedView?
    private let utcOffset: UTCOffset
    private let state = Mutex(State())
    /// The running programs of custom commands.
    private let programs = DispatchGroup()
    private let notifier: DesktopNotifier

    /// Creates an interpreter.
    ///
    /// - Parameters:
    ///   - opener: Opens another store by path; `nil` if only this store can be shown.
    ///   - openStores: The paths of the open stores, which aren't opened twice.
    ///   - journal: The change journal; `nil` for none.
    ///   - ignored: The file of ignored conflicts; `nil` for none.
    ///   - view: The file of view states; `nil` for none.
    ///   - utcOffset: The time zone of the times in texts.
    ///   - send: Receives the answers, on any thread.
    public init(
        session: any StoreSession,
        opener: (@Sendable (String) throws -> any StoreSession)? = nil, openStores: [String] = [],
        journal: EditJournal? = nil, ignored: IgnoredConflictsFile? = nil,
        view: SavedView? = nil, utcOffset: UTCOffset = 0,
        send: @escaping @Sendable (Message) -> Void
    ) {
        self.session = session
        self.opener = opener
        self.openStores = openStores
        self.journal = journal
        self.ignored = ignored
        self.view = view
        self.utcOffset = utcOffset
        self.send = send
        notifier = DesktopNotifier { send(.notificationFailed($0)) }
    }

    /// Sends the current snapshot, then every later event.
    ///
    /// - Parameter left: The state of the session's screen when the user left it; `nil` if the
    ///   screen wasn't shown before. Events that arrived since then are sent first.
    public func start(with left: BackgroundScreen? = nil) {
        let events = left?.missed ?? session.events()
        sendSnapshot()
        let task = Task { [weak self] in
            for await event in events {
                guard let self else { return }
                self.sendSnapshot()
                self.send(.event(event))
            }
        }
        state.withLock { $0.events = task }
        readJournal()
        readIgnored()
    }

    /// Cancels all requests. The session stays open.
    public func stop() {
        forgetPast()
        let tasks = state.withLock { state in
            defer {
                let next = state.next
                state = State()
                state.next = next
            }
            return Array(state.tasks.values) + Array(state.alarms.values)
                + (state.events.map { [$0] } ?? []) + (state.rest.map { [$0] } ?? [])
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until the programs that ``stop()`` canceled have ended or been killed, for at most
    /// five seconds.
    public func waitForPrograms() { _ = programs.wait(timeout: .now() + 5) }

    /// Starts the work that effects request.
    ///
    /// - Returns: The work for the owner of the terminal, in order.
    public func run(_ effects: [Effect]) -> [TerminalRequest] {
        var requests: [TerminalRequest] = []
        for effect in effects {
            if case .terminal(let request) = effect {
                requests.append(request)
            } else {
                run(effect)
            }
        }
        return requests
    }

    private func run(_ effect: Effect) {
        switch effect {
        case .window(let id, let source, let request):
            answer(id, from: source, Message.window) {
                try await $0.windowComparedWithNow(request)
            }
        case .detail(let id, let source, let row, let form, let query):
            answer(id, from: source, Message.detail) {
                try await $0.detail(of: row, as: form, in: query)
            }
        case .conflicts(let id, let source, let rows, let instant):
            answer(id, from: source, Message.conflicts) { source in
                var conflicts: [RowID: [RowConflict]] = [:]
                for row in rows {
                    let found = try await source.conflicts(of: row, at: instant)
                    if !found.isEmpty { conflicts[row] = found }
                }
                return conflicts
            }
        case .conflictDetail(let id, let source, let row, let instant):
            answer(id, from: source, Message.conflictDetail) {
                try await $0.conflictDetail(of: row, part: nil, at: instant)
            }
        case .proposal(let id, let source, let row, let picks, let instant):
            answer(id, from: source, Message.proposal) {
                try await $0.proposal(of: row, picking: picks, at: instant)
            }
        case .manyConflicts(let id, let source, let query, let chosen):
            answer(id, from: source, Message.manyConflicts) {
                try await ConflictedRow.all(of: chosen, in: $0, query)
            }
        case .open(let id, let source, let row, let instant):
            answer(id, from: source, Message.opened) { [weak self] source in
                guard let inner = try await source.open(row, at: instant) else { return nil }
                return self?.keep(inner)
            }
        case .query(let id, let source, let text, let row):
            answer(id, from: source, Message.queried) { [weak self] source in
                let (row, results) = try await source.run(text, of: row)
                guard let list = self?.keep(results) else { throw CancellationError() }
                return QueryResults(row: row, list: list)
            }
        case .values(let id, let source, let field, let query):
            answer(id, from: source, Message.values) {
                try await $0.values(of: field, in: query)
            }
        case .choices(let id, let source, let field, let text, let current):
            answer(id, from: source, Message.choices) {
                try await $0.choices(for: field, matching: text, current: current)
            }
        case .template(let id, let source, let row):
            answer(id, from: source, Message.editableValue) { try await $0.template(of: row) }
        case .editableValue(let id, let source, let row, let field):
            answer(id, from: source, Message.editableValue) {
                try await $0.editableValue(of: row, field: field)
            }
        case .copyForms(let id, let source, let row, let query, let chosen):
            answer(id, from: source, Message.copyForms) { source in
                let forms = try await source.copyForms(of: row, at: query.instant)
                return try await forms + RowExport.copyForms(of: chosen, in: source, query)
            }
        case .preview(let id, let source, let edits, let seen):
            answer(id, from: source, Message.previewed) { source in
                try await source.previews(of: edits, typedOver: seen)
            }
        case .previewMerge(let id, let source, let edit, let sides):
            answer(id, from: source, Message.previewed) {
                [try await $0.preview(edit, merging: sides)]
            }
        case .apply(let id, let source, let previews, let note):
            apply(previews, id, source, note)
        case .nameDevice(let id, let source, let device, let name):
            answer(id, from: source, Message.named) { [weak self] source in
                let preview = try await source.preview(.rename(device, field: nil, to: name))
                let applied = try await source.apply(preview)
                self?.sendSnapshot()
                return applied.summary
            }
        case .readJournal: readJournal()
        case .forget(let entries):
            for entry in entries {
                let warning = keep(JournalEntry(withdrawing: entry, date: Date()))
                if let warning { send(.notice(warning)) }
            }
        case .keepIgnored(let marks): keep(marks)
        // Failing to save the view state doesn't block quitting.
        case .keepView(let left): try? view?.keep(left)
        case .showNumbers(let source, let forms): showNumbers(forms, in: source)
        case .withdraw(let id): withdraw(id)
        case .timeline(let id, let buckets):
            start(id, Message.timeline) { [session] in
                try await session.timeline(buckets: buckets)
            }
        case .step(let id, let from, let backwards, let device):
            start(id, Message.stepped) { [session] in
                let next = try await session.step(
                    from: from, backwards: backwards, device: device)
                guard let next else { return nil }
                // If the details of a write are missing, the step to it still succeeds.
                let writes = try? await session.writes(at: next, device: device)
                return TimeTravelStep(instant: next, writes: writes ?? [])
            }
        case .stepOfRow(let id, let source, let row, let from, let backwards):
            answer(id, from: source, Message.stepped) { [session] source in
                try await RowSteps(session: session, source: source, row: row)
                    .next(from: from, backwards: backwards)
            }
        case .previewRestoring(let id, let source, let prefix, let instant):
            answer(id, from: source, Message.previewed) { source in
                let rows = try await source.changedRows(under: prefix, since: instant)
                guard !rows.isEmpty else {
                    let what = prefix.isEmpty ? "no key" : "no key that starts with \(prefix)"
                    throw EditError(.invalid, "nothing to restore: \(what) has changed since then")
                }
                return [try await source.preview(.restore(rows, at: instant))]
            }
        case .difference(let id, let source, let query, let from, let to, let offset):
            answer(id, from: source, Message.opened) { [weak self] source in
                let difference = try await TimeComparisonSource(
                    of: source, query: query, from: from, to: to, offset: offset)
                return self?.keep(difference)
            }
        case .compare(let id, let path, let instant):
            start(id, Message.opened) { [weak self, session] in
                let differences = try await DifferencesSource(
                    of: session, with: UserPath.expanded(path), at: instant)
                return differences.isEmpty ? nil : self?.keep(differences)
            }
        case .frequency(let id, let source, let query, let column):
            answer(id, from: source, Message.opened) { [weak self] source in
                self?.keep(try await FrequencyList(of: column, in: source, query: query))
            }
        case .export(let id, let source, let query, let chosen, let format, let path):
            export(id, source, query, chosen, format, path)
        case .save(let id, let source, let row, let instant, let path):
            answer(id, from: source, Message.exported) { [session] source in
                try await RowExport.save(
                    row, of: source, at: instant, to: path, outside: session.path)
                return "saved to \(path)"
            }
        case .exportRecords(let id, let records, let format, let path):
            start(id, Message.exported) { [session] in
                try RowExport.write(records, as: format, to: path, outside: session.path)
                return "exported \(Counted.text(records.count, "event")) to \(path)"
            }
        case .places(let id, let lists, let text, let instant):
            let sources = state.withLock { state in
                lists.compactMap { list in state.sources[list.source].map { (list, $0) } }
            }
            start(id, Message.places) {
                try await Self.places(for: text, in: sources, at: instant)
            }
        case .placeInside(let id, let list, let row, let text, let instant):
            answer(id, from: list.source, Message.placeFound) {
                try await PlaceSearch(text, at: instant).place(inside: row, of: $0, list)
            }
        case .nearby(let id, let folder, let others):
            start(id, Message.nearby) { NearbyPaths(folder: folder, others: others) }
        case .files(let id, let folder):
            start(id, Message.nearby) { NearbyPaths(filesIn: folder) }
        case .notifyDesktop(let text): notifier.show(text)
        case .openStore(let id, let path): openStore(id, UserPath.expanded(path))
        case .release(let ids):
            state.withLock { state in for id in ids { state.sources[id] = nil } }
        case .forgetPast: forgetPast()
        case .setWritable(let isWritable):
            session.setWritable(isWritable)
            sendSnapshot()
        case .setReadsParts(let readsParts): session.setReadsParts(readsParts)
        case .writeObstacle(let id):
            start(id, Message.writeObstacle) { [session] in session.writeObstacle() }
        case .reload(let notice): reload(after: notice)
        case .runProgram(let id, let arguments):
            programs.enter()
            start(id, Message.ran) { [programs] in
                defer { programs.leave() }
                return try await CapturedProgram.run(arguments)
            }
        case .wake(let alarm, let delay): wake(alarm, after: delay)
        case .cancel(let id): state.withLock { $0.tasks.removeValue(forKey: id) }?.cancel()
        case .terminal: break
        }
    }

    /// Drops the history index, and returns the memory of freed buffers to the system.
    private func forgetPast() {
        let sources = state.withLock { Array($0.sources.values) }
        Task {
            for source in sources { source.forgetPast() }
            AllocatorMemory.releaseFreeMemory()
        }
    }

    /// Changes the number formats of columns. Columns that don't support a format keep theirs.
    private func showNumbers(_ forms: [String: String], in source: SourceID) {
        guard let list = state.withLock({ $0.sources[source] }) else { return }
        Task { [weak self] in
            try? await list.showNumbers(forms)
            self?.sendSnapshot()
        }
    }

    // MARK: Requests

    private func answer<Value: Sendable>(
        _ id: RequestID, from source: SourceID,
        _ message: @escaping @Sendable (RequestID, Answer<Value>) -> Message,
        _ work: @escaping @Sendable (any RowSource) async throws -> Value
    ) {
        guard let source = state.withLock({ $0.sources[source] }) else {
            send(message(id, .failure(RequestFailure(.other, "this list is closed"))))
            return
        }
        start(id, message) { try await work(source) }
    }

    private func start<Value: Sendable>(
        _ id: RequestID,
        _ message: @escaping @Sendable (RequestID, Answer<Value>) -> Message,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        // Store the task before it can remove itself.
        state.withLock { state in
            state.tasks[id] = Task { [weak self, send, utcOffset] in
                let result: Answer<Value>
                do {
                    let value = try await UTCOffset.$shown.withValue(utcOffset) { try await work() }
                    result = .success(value)
                } catch {
                    result = .failure(RequestFailure(error))
                }
                guard !Task.isCancelled else { return }
                self?.state.withLock { $0.tasks[id] = nil }
                send(message(id, result))
                self?.releaseMemoryAtRest()
            }
        }
    }

    /// Returns freed memory to the system once no request has been answered for three seconds.
    private func releaseMemoryAtRest() {
        let pause = Duration.seconds(3)
        state.withLock { state in
            state.lastAnswer = .now
            guard state.rest == nil else { return }
            state.rest = Task { [weak self] in
                var end = ContinuousClock.now + pause
                while !Task.isCancelled, .now < end {
                    try? await Task.sleep(until: end)
                    guard let self else { return }
                    end = self.state.withLock { $0.lastAnswer } + pause
                }
                guard !Task.isCancelled else { return }
                self?.state.withLock { $0.rest = nil }
                AllocatorMemory.releaseFreeMemory()
            }
        }
    }

    /// Writes previewed edits and records them in the journal.
    ///
    /// Writes can't be canceled, since the caller needs to know their result.
    private func apply(
        _ previews: [EditPreview], _ id: RequestID, _ source: SourceID, _ note: JournalNote
    ) {
        guard let source = state.withLock({ $0.sources[source] }) else {
            let failure = RequestFailure(.other, "this list is closed")
            send(.applied(id, [], left: previews, failure: failure))
            return
        }
        Task { [weak self, send] in
            let written = await source.apply(previews)
            var warning: Notice?
            if let whole = AppliedEdit(written.applied), previews.contains(where: \.edit.writes) {
                warning = self?.keep(
                    JournalEntry(
                        whole, direction: note.direction, pane: note.pane, subject: note.subject))
            }
            self?.sendSnapshot()
            send(
                .applied(
                    id, written.applied, left: written.left,
                    failure: written.failure.map { RequestFailure($0) }))
            if let warning { send(.notice(warning)) }
        }
    }

    private func withdraw(_ id: RequestID) {
        Task { [weak self, session, send] in
            let answer: Answer<[String]>
            do {
                answer = .success(try await session.withdraw())
            } catch {
                answer = .failure(RequestFailure(error))
            }
            self?.sendSnapshot()
            send(.withdrawn(id, answer))
        }
    }

    private func reload(after before: Notice?) {
        Task { [weak self, session] in
            let notice: Notice
            let start = before.map { "\($0.text); " } ?? ""
            do {
                try await session.reload()
                notice = Notice(before?.kind ?? .done, start + "reloaded")
            } catch {
                notice = Notice(
                    .error, "\(start)reload incomplete: \(RequestFailure(error).message)")
            }
            self?.sendSnapshot()
            self?.send(.notice(notice))
        }
    }

    private func export(
        _ id: RequestID, _ source: SourceID, _ query: RowQuery, _ chosen: Set<RowID>,
        _ format: ExportFormat, _ path: String
    ) {
        answer(id, from: source, Message.exported) { [send, session] source in
            let count = try await RowExport.write(
                source, query: query, chosen: chosen, as: format, to: path, outside: session.path
            ) { done, total in send(.exporting(id, done: done, of: total)) }
            let rows = Counted.text(count, chosen.isEmpty ? "row" : "marked row")
            let missing = chosen.isEmpty ? 0 : chosen.count - count
            let verb = missing == 1 ? "exists" : "exist"
            let note = missing > 0 ? "; \(Counted.grouped(missing)) no longer \(verb)" : ""
            return "exported \(rows) to \(path)\(note)"
        }
    }

    /// Opens a store and keeps it until the caller takes it.
    private func openStore(_ id: RequestID, _ path: String) {
        start(id, Message.storeOpened) { [weak self, opener, openStores] in
            guard let opener else {
                throw RequestFailure(.other, "no other store can be opened here")
            }
            let place = NearbyPaths.place(of: path)
            if let open = openStores.first(where: { NearbyPaths.place(of: $0) == place }) {
                return open
            }
            let opened = try opener(path)
            let before = self?.state.withLock { state in
                defer { state.next = opened }
                return state.next
            }
            await before?.close()
            return path
        }
    }

    /// Returns the additional store, if one was opened. The caller must show or close it.
    public func takeNext() -> (any StoreSession)? {
        state.withLock { state in
            defer { state.next = nil }
            return state.next
        }
    }

    private func wake(_ alarm: Alarm, after delay: Duration) {
        let task = Task { [send] in
            try? await Task.sleep(for: delay)
            guard !Task.isCancelled else { return }
            send(.woke(alarm))
        }
        state.withLock { state in
            state.alarms[alarm]?.cancel()
            state.alarms[alarm] = task
        }
    }

    // MARK: Sources

    private func keep(_ source: any RowSource) -> SourceInfo {
        let id = state.withLock { state in
            state.lastSource += 1
            let id = SourceID(state.lastSource)
            state.sources[id] = source
            return id
        }
        return SourceInfo(id: id, info: source.info)
    }

    /// Sends a snapshot of the session if it differs from the last one.
    ///
    /// Holds the lock throughout, so that snapshots are sent in order.
    private func sendSnapshot() {
        state.withLock { state in
            let status = session.status
            var infos: [PaneInfo] = []
            for pane in session.panes {
                let id = state.id(of: pane.id)
                state.sources[id] = pane.source
                infos.append(
                    PaneInfo(
                        id: pane.id, source: SourceInfo(id: id, info: pane.source.info),
                        group: pane.group, listsConflicts: pane.listsConflicts,
                        number: pane.number))
            }
            let outer = Set(state.panes.values)
            let inner = state.sources.filter { !outer.contains($0.key) }
            let snapshot = SessionSnapshot(
                status: status, panes: infos,
                inner: Dictionary(
                    uniqueKeysWithValues: inner.map {
                        ($0.key, SourceInfo(id: $0.key, info: $0.value.info))
                    }))
            if snapshot == state.lastSnapshot { return }
            state.lastSnapshot = snapshot
            send(.session(snapshot))
        }
    }
}
