import Automerge
import Foundation
import Replication

/// A session part for one Automerge file: the tree of the document, its history, its conflicts.
///
/// The file is reloaded when it changes. While it can't be read (half-written or damaged), the
/// previous content stays visible, and the header shows the reason.
final class AutomergeFilePart: FilePart {
    let panes: [Pane]
    let conflicts: (any ConflictListing)?
    let lifecycle = StoreLifecycle<FileDocument>(
        stage: "reading the document", subject: "file", pause: .milliseconds(20),
        patience: .milliseconds(300))
    private let context: FileDocument

    init(path: String) {
        context = FileDocument(path: path)
        panes = [
            Pane(.documents, DocumentTreeSource(context), in: .documents),
            Pane(.documentHistory, ChangesSource(context), in: .documents),
        ]
        conflicts = FileConflicts(context)
    }

    func open() -> FileDocument { context }

    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? {
        FileWatcher(context.path, handler: noteChange)
    }

    func look(at file: FileDocument) throws {
        let (wasUnreadable, wasMissing) = (lifecycle.failure != nil, lifecycle.phase == .missing)
        let outcome = try file.read()
        lifecycle.noteRead()
        if let (old, new) = outcome {
            lifecycle.emit(event(from: old, to: new))
        } else if wasUnreadable, !wasMissing {
            lifecycle.emit(.status, "the file is readable again")
        }
    }

    func report(_ failure: SessionFailure, isNew: Bool, of file: FileDocument) {
        let isMissing = failure.category == .noSuchFile
        lifecycle.emit(
            .status, isMissing ? "the file is missing" : "not read: \(failure.reason)")
    }

    private func event(from old: OpenDocument?, to new: OpenDocument) -> SessionEvent {
        guard let old else {
            return SessionEvent(
                .loaded, date: Date(),
                summary: "loaded \(Counted.text(new.times.count, "change")) of "
                    + Counted.text(new.times.actors.count, "actor"))
        }
        // If the file now contains a different document, all of its content counts as new.
        let (marks, steps) = new.marks(since: old)
        let newest = new.times.order.last.flatMap { new.change(Int($0)) }
        return SessionEvent(
            .changed(.documents, rows: marks, isOwn: false), date: Date(),
            device: newest.flatMap { OpenDocument.device(of: $0.actor) },
            summary: steps, written: new.newChanges(since: old).written)
    }

    // MARK: Header

    var status: PartStatus {
        var status = PartStatus(
            phase: lifecycle.phase, problems: lifecycle.failure.map { [$0.reason] } ?? [])
        guard let open = context.open else { return status }
        status.problems += open.problems
        status.conflictCount = open.conflictCount
        status.counts = [.documents: open.keyCount, .documentHistory: open.times.count]
        status.devices = open.devices
        return status
    }

    // MARK: Time

    func activity(buckets: Int) async throws -> Activity {
        // Wait for the first read of the file.
        try await loadedStore().open?.times.activity ?? Activity()
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
}

extension PaneID {
    /// The content of a document.
    public static let documents = PaneID("documents")
    /// The changes of a document.
    public static let documentHistory = PaneID("history", of: "documents")
}
