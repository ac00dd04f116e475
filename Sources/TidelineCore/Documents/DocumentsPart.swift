import Automerge
import Foundation
import Replication
import Synchronization

/// A session part for one Automerge file: the tree of the document, its history, its conflicts.
///
/// The file is reloaded when it changes. While it can't be read (half-written or damaged), the
/// previous content stays visible, and the header shows the reason.
final class DocumentsPart: SessionPart {
    let panes: [Pane]
    let conflicts: (any ConflictListing)?
    private let context: FileDocument
    private let state = Mutex(State())
    /// Serializes all reads of the file.
    private let queue = DispatchQueue(label: "tideline-document")

    private struct State {
        var phase = SessionStatus.Phase.loading(stage: "reading the document", fraction: nil)
        /// The reason why the last read failed; `nil` if it succeeded.
        var problem: String?
        var watch: FileWatcher?
        var emit: (@Sendable (SessionEvent) -> Void)?
        var isReading = false
        /// Whether the last read failed and the failure hasn't been reported yet.
        var isDoubtful = false
    }

    /// The time for a writer to complete a file that can't be read yet.
    private static let patience = DispatchTimeInterval.milliseconds(300)

    init(path: String) {
        context = FileDocument(path: path)
        panes = [
            Pane(.documents, DocumentTreeSource(context)),
            Pane(.documentHistory, ChangesSource(context)),
        ]
        conflicts = FileConflicts(context)
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        let watch = FileWatcher(context.path) { [weak self] in self?.fileChanged() }
        state.withLock { state in
            state.emit = emit
            state.watch = watch
            state.isReading = true
        }
        queue.async { [weak self] in self?.read() }
    }

    private func fileChanged() {
        let isDue = state.withLock { state in
            defer { state.isReading = true }
            return !state.isReading
        }
        // A writer changes the file in several steps, so wait a moment and read them together.
        guard isDue else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in self?.read() }
    }

    /// Reads the file.
    ///
    /// - Parameter reportsAtOnce: Whether to report a failure even if the file may only be
    ///   half-written.
    private func read(reportsAtOnce: Bool = false) {
        let emit = state.withLock { state in
            state.isReading = false
            return state.emit
        }
        guard let emit else { return }
        do {
            let outcome = try context.read()
            let had = state.withLock { state in
                defer {
                    state.phase = .live
                    state.problem = nil
                    state.isDoubtful = false
                }
                return state.problem
            }
            guard let (old, new) = outcome else {
                if had != nil {
                    emit(SessionEvent(.status, date: Date(), summary: "the file is readable again"))
                }
                return
            }
            emit(event(from: old, to: new))
        } catch {
            let isDoubtful = state.withLock { state in
                defer { state.isDoubtful = true }
                return state.isDoubtful
            }
            if reportsAtOnce || isDoubtful || context.open == nil {
                failed(error, emit)
            } else {
                queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.read() }
            }
        }
    }

    private func failed(_ error: any Error, _ emit: @Sendable (SessionEvent) -> Void) {
        let isMissing = (error as? CoreError)?.code == .notFound
        let failure = SessionFailure(error)
        let message = failure.reason
        state.withLock { state in
            state.problem = message
            if context.open == nil {
                state.phase = .failed(failure)
            } else if isMissing {
                state.phase = .missing
            }
        }
        emit(
            SessionEvent(
                isMissing && context.open != nil ? .deleted : .status, date: Date(),
                summary: isMissing ? "the file is missing" : "not read: \(message)"))
    }

    private func event(from old: OpenDocument?, to new: OpenDocument) -> SessionEvent {
        guard let old else {
            return SessionEvent(
                .loaded, date: Date(),
                summary: "loaded \(Counted.text(new.times.count, "change")) of "
                    + Counted.text(new.times.actors.count, "actor"))
        }
        // If the file contains a different document now, all of it is new.
        let (marks, steps) = new.marks(since: old)
        let newest = new.times.order.last.flatMap { new.change(Int($0)) }
        return SessionEvent(
            .changed(.documents, rows: marks, isOwn: false), date: Date(),
            device: newest.flatMap { OpenDocument.device(of: $0.actor) },
            summary: steps, written: new.newChanges(since: old).written)
    }

    // MARK: Header

    var status: PartStatus {
        let (phase, problem) = state.withLock { ($0.phase, $0.problem) }
        var status = PartStatus(phase: phase, problems: problem.map { [$0] } ?? [])
        guard let open = context.open else { return status }
        status.problems += open.problems
        status.conflictCount = open.conflictCount
        status.counts = [.documents: open.keyCount, .documentHistory: open.times.count]
        status.devices = open.devices
        return status
    }

    /// Waits until the current read has finished.
    private func readingDone() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    func reload() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                read(reportsAtOnce: true)
                continuation.resume()
            }
        }
    }

    // MARK: Time

    func activity(buckets: Int) async throws -> Activity {
        // Wait for the first read of the file.
        if context.open == nil { await readingDone() }
        return context.open?.times.activity ?? Activity()
    }

    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        guard let open = context.open else { return nil }
        return open.times.step(
            from: instant, backwards: backwards, actors: device.map(open.actors(of:)))
    }

    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        context.open?.writes(at: instant, device: device) ?? []
    }

    func close() async {
        state.withLock { state in
            state.watch = nil
            state.emit = nil
        }
    }
}

extension PaneID {
    /// The content of a document.
    public static let documents = PaneID("documents")
    /// The changes of a document.
    public static let documentHistory = PaneID("history", of: "documents")
}
