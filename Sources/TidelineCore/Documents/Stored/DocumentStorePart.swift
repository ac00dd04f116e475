import Automerge
import DocumentStore
import Foundation
import Replication
import Synchronization

/// The documents of a store as a part of a session. A separate part, ``shown``, has the history of
/// the document that was opened last.
///
/// A package without documents gets a documents pane only if it is writable, so that the first
/// document can be created.
public final class DocumentStorePart: FollowedPart {
    private let pane: Pane
    private let allConflicts: StoredConflicts
    private let arrivals: ArrivalTimes?
    let context: DocumentStoreContext
    let lifecycle = StoreLifecycle<AutomergeStore>(stage: "listing documents")
    private let state = Mutex(State())

    private struct State {
        var devices: [DeviceStatus] = []
        /// Whether the package has had documents since the part was created; outside packages,
        /// `true`.
        var isPresent = true
        /// The listed documents.
        var known: Set<UUID> = []
        /// The names of workspaces after the last change.
        var names: [UUID: String] = [:]
        var problems: [String] = []
    }

    /// The maximum number of rows that an event marks.
    private static let mostMarks = 1000
    /// The maximum number of chunk bytes, in total and per document, for counting conflicts in the
    /// background. Counting takes a few seconds at most.
    private static let mostCounted = 16 << 20, longestCounted = 1 << 20

    /// Creates the part for the documents of a package.
    ///
    /// - Parameters:
    ///   - device: The writing device; `nil` if the documents are read-only.
    ///   - isWritable: Whether writing is unlocked from the start.
    convenience init(
        package: StorePackage, device: DeviceID?, isWritable: Bool,
        arrivals: ArrivalTimes = ArrivalTimes()
    ) {
        self.init(
            DocumentStoreContext(
                place: .package(package), device: device, isWritable: isWritable), arrivals)
        let isPresent = ((try? package.devices()) ?? []).contains { $0.has(.documents) }
        state.withLock { $0.isPresent = isPresent }
    }

    init(_ context: DocumentStoreContext, _ arrivals: ArrivalTimes? = nil) {
        self.context = context
        self.arrivals = arrivals
        pane = Pane(.documents, DocumentListSource(context), in: .documents)
        allConflicts = StoredConflicts(context)
    }

    /// The documents pane, if there are documents or if a document can be created.
    public var panes: [Pane] {
        isPresent || context.writing.availability == .available ? [pane] : []
    }

    public var possiblePanes: [Pane] { [pane] }

    /// The conflicts in all documents.
    public var conflicts: (any ConflictListing)? { isPresent ? allConflicts : nil }

    /// The history of the document opened last. It is a separate part, because it has no pane
    /// before a document is opened.
    public var shown: any SessionPart { ShownDocumentPart(context) }

    /// Whether any documents are known to exist.
    var isPresent: Bool { state.withLock { $0.isPresent } }

    public var status: PartStatus {
        let state = state.withLock { $0 }
        let phase = lifecycle.phase
        // A part without documents has nothing to load.
        var status = PartStatus(
            phase: state.isPresent || phase == .missing ? phase : nil,
            ownDevice: context.device,
            devices: DeviceReport.ofDocuments(state.devices, name: context.knownName(of:)),
            problems: state.problems, unsaved: context.unsaved)
        guard state.isPresent else { return status }
        status.counts = [.documents: state.known.count]
        status.conflictCount = context.conflicts.total
        status.hasCountedConflicts = context.conflicts.areWhole
        return status
    }

    func open() async throws -> AutomergeStore {
        context.onEvents { [weak lifecycle] in lifecycle?.emit($0) }
        return try await context.onQueue { [context] in try context.store ?? context.open() }
    }

    func changes(of store: AutomergeStore) -> AsyncStream<AutomergeStoreEvent>? {
        context.follows ? store.events() : nil
    }

    func read(_ store: AutomergeStore) async throws {
        try await context.onQueue { [self] in
            note(store)
            let workspaces = context.follows ? store.workspaceSummaries : []
            state.withLock { state in
                for workspace in workspaces { state.names[workspace.id] = workspace.name }
            }
        }
    }

    func finishLoading(_ store: AutomergeStore) {
        lifecycle.emit(loaded)
        countConflicts()
    }

    func sync(_ store: AutomergeStore) async throws {
        try await context.onQueue { [self] in
            try store.sync()
            context.noteChange()
            note(store)
            countConflicts()
        }
    }

    /// Counts the conflicts of documents that aren't open. Other requests wait for at most one
    /// document. After each document, the work stops for four times as long as the count took, so
    /// that other requests can run.
    private func countConflicts() {
        if context.conflicts.begin() { countNextConflicts(after: .zero) }
    }

    private func countNextConflicts(after pause: Duration) {
        context.async(after: pause) { [weak self] in
            guard let self else { return }
            guard let id = context.conflicts.next() else {
                context.noteChange()
                return lifecycle.emit(.status)
            }
            let taken = ContinuousClock().measure {
                let document = try? context.store?.openDocument(id)
                let count = document.flatMap {
                    try? DocumentView($0.automerge.fork()).conflictCount()
                }
                context.conflicts.note(count, of: id)
            }
            countNextConflicts(after: taken * 4)
        }
    }

    private var loaded: SessionEvent {
        let count = state.withLock { $0.known.count }
        guard isPresent else { return SessionEvent(.status, date: Date()) }
        let documents = Counted.text(count, "document")
        return SessionEvent(
            .loaded, date: Date(), summary: "loaded \(documents)",
            report: EventReport(
                "loaded", store: PaneID.documents.part, ["documents": .count(count)],
                text: "loaded: \(documents)"))
    }

    /// Records the current content of the store.
    ///
    /// - Returns: The previously known documents.
    @discardableResult
    private func note(_ store: AutomergeStore) -> Set<UUID> {
        let documents = context.follows ? store.documentSummaries() : []
        let devices = store.devices
        var problems = store.unexpectedItems
        let readable = documents.filter(\.canBeOpened)
        var bytesLeft = Self.mostCounted
        let short = readable.filter { document in
            guard document.byteCount <= min(Self.longestCounted, bytesLeft) else { return false }
            bytesLeft -= document.byteCount
            return true
        }
        context.conflicts.list(Set(readable.map(\.id)), short: Set(short.map(\.id)))
        let waiting = documents.count - readable.count
        if waiting > 0 {
            problems.append(
                Counted.text(waiting, "document")
                    + " can't be shown yet: only later changes have arrived, without a snapshot")
        }
        return state.withLock { state in
            defer {
                state.known = Set(documents.map(\.id))
                state.devices = devices
                state.problems = problems
                if !documents.isEmpty || devices.contains(where: { $0.rows > 0 }) {
                    state.isPresent = true
                }
            }
            return state.known
        }
    }

    // MARK: Events

    func handle(_ event: AutomergeStoreEvent, of store: AutomergeStore) {
        switch event {
        case .changed(let changes):
            context.noteChange()
            let before = note(store)
            context.conflicts.forget(changes.documents)
            countConflicts()
            var event = self.event(changes, before: before, in: store)
            let reports = reports(changes, in: store)
            event.report = reports.first
            lifecycle.emit(event)
            for report in reports.dropFirst() {
                lifecycle.emit(SessionEvent(.status, date: Date(), report: report))
            }
        case .documentChanged(let id, let devices):
            context.knownDocument(id)?.refresh(writtenBy: devices)
        case .saved(let id):
            if context.noteSaved(id) {
                lifecycle.emit(.status, "\(context.title(of: id)) is saved")
            }
        case .notSaved(let id, let reason):
            context.noteWaiting(id, because: reason)
            lifecycle.emit(.status)
        case .unconfirmed(let id, let reason):
            _ = context.noteSaved(id)
            lifecycle.emit(.status, "\(context.title(of: id)): \(reason)")
        case .compacted(let id, let count):
            lifecycle.emit(
                SessionEvent(
                    .status, date: Date(), device: context.device,
                    summary: "\(context.title(of: id)): \(Counted.text(count, "chunk")) "
                        + "merged into one snapshot"))
        case .problemsChanged: lifecycle.emit(.status)
        case .devices:
            context.noteChange()
            note(store)
            countConflicts()
            lifecycle.emit(.devices)
        case .deleted: lifecycle.setMissing(true)
        case .returned: lifecycle.setMissing(false)
        }
    }

    private func event(
        _ changes: StoreChanges, before: Set<UUID>, in store: AutomergeStore
    ) -> SessionEvent {
        var marks: [RowID: RowMark] = [:]
        let documents = changes.documents.union(
            changes.workspaces.filter { before.contains($0) })
        for id in documents.sorted().prefix(Self.mostMarks) {
            let row = RowID(store.text(of: id))
            guard store.documentSummary(id) != nil else {
                marks[row] = .deleted
                continue
            }
            marks[row] = before.contains(id) ? .changed : .new
        }
        for id in changes.deletedWorkspaces { marks[RowID(store.text(of: id))] = .deleted }
        func count(_ mark: RowMark) -> Int { marks.values.count { $0 == mark } }
        let counts = Counted.signs(
            new: count(.new), changed: count(.changed), deleted: count(.deleted))
        let rename = rename(changes, in: store)
        let first = rename ?? documents.min().map(context.title(of:))
        return SessionEvent(
            .changed(.documents, rows: marks, isOwn: changes.isOwn), date: Date(),
            device: changes.isOwn ? context.device : changes.device,
            summary: "\(counts) document\(marks.count == 1 ? "" : "s")"
                + (first.map { ": \($0)" } ?? "") + (documents.count > 1 ? " …" : ""),
            written: changes.isOwn ? nil : changes.written)
    }

    /// Returns the renaming of a workspace, if there was one: `Shopping → Groceries`.
    private func rename(_ changes: StoreChanges, in store: AutomergeStore) -> String? {
        let now = changes.workspaces.sorted().compactMap { store.workspaceSummary($0) }
        let names = state.withLock { state in
            defer { for workspace in now { state.names[workspace.id] = workspace.name } }
            return state.names
        }
        for workspace in now {
            guard let old = names[workspace.id], old != workspace.name, !old.isEmpty else {
                continue
            }
            return "\(old) → \(workspace.name)"
        }
        return nil
    }

    /// Returns the reports for scripts: one report per device that wrote, or a single report if the
    /// devices aren't known.
    private func reports(_ changes: StoreChanges, in store: AutomergeStore) -> [EventReport] {
        func report(_ device: DeviceID?, _ subjects: Set<UUID>) -> EventReport {
            EventReport(
                writtenBy: device, own: context.device, store: PaneID.documents.part, rows: nil,
                keys: subjects.map(store.text(of:)).sorted(),
                removed: subjects.filter { store.documentSummary($0) == nil }
                    .map(store.text(of:)).sorted(),
                counts: nil,
                latency: device.flatMap { arrivals?.latency(of: DeviceFile($0, .documents)) },
                late: device == nil || device == context.device
                    ? nil : changes.written?.lateness(at: Timestamp(Date())))
        }
        guard !changes.subjects.isEmpty else {
            let all = changes.documents.union(changes.workspaces)
            return [report(nil, all.union(changes.deletedWorkspaces))]
        }
        return changes.subjects.sorted { $0.key < $1.key }.map(report)
    }

    /// Locks or unlocks writing. Files of the original AutomergeStore stay read-only.
    public func setWritable(_ isWritable: Bool) { context.writing.isUnlocked = isWritable }

    // MARK: Unsaved edits

    /// Withdraws edits that wait for another program's lock.
    public func withdraw() async throws -> [String] {
        try await context.onQueue { [context] in
            var subjects: [String] = []
            for id in context.waitingDocuments {
                subjects += context.unsaved?.subjects ?? []
                try context.document(id).discardEdits()
                context.noteSaved(id)
            }
            return subjects
        }
    }

    /// Stops watching and closes the store.
    public func close() async {
        lifecycle.cancel()
        let context = context
        try? await context.onQueue {
            guard let store = context.release() else { return }
            do {
                try store.close()
                for id in context.waitingDocuments { context.noteSaved(id) }
            } catch {
                // Edits that still wait have been retried one last time, and are now lost.
                for id in context.waitingDocuments {
                    try? store.closeDocument(id, saving: false)
                }
                try? store.close()
            }
        }
    }
}
