import Replication
import ServerCatalogGRDB
import Synchronization

/// A server catalog as a part of a session: its groups, the servers of a group, single servers.
final class CatalogPart: FilePart {
    let panes: [Pane]
    // The catalog may be incomplete because it is being written, for example while it is rebuilt.
    let lifecycle = StoreLifecycle<CatalogConnection>(
        stage: "counting servers", subject: "file", patience: .milliseconds(300))
    private let context: CatalogContext
    /// The content that was reported last; `nil` before the first report.
    private let reported = Mutex<(path: String, stamp: FileStamp?, servers: ServerDigests)?>(nil)

    var isWholeStore: Bool { context.package == nil }

    init(_ context: CatalogContext) {
        self.context = context
        panes = [Pane(.servers, ServerGroupsSource(context), in: .catalog)]
    }

    var status: PartStatus {
        let problem = lifecycle.failure.map { failure in
            "servers: " + failure.reason + (failure.suggestion.map { "; \($0.text)" } ?? "")
        }
        return PartStatus(
            phase: isWholeStore ? lifecycle.phase : nil, ownDevice: context.device,
            counts: context.catalog.knownCount.map { [.servers: $0] } ?? [:],
            problems: problem.map { [$0] } ?? [])
    }

    func setWritable(_ isWritable: Bool) { context.writing.isUnlocked = isWritable }

    func open() -> CatalogConnection {
        if let note = context.choiceNote { lifecycle.emit(.status, "servers: \(note)") }
        return context.catalog
    }

    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? {
        context.onChange(noteChange)
        guard let package = context.package else {
            return FileWatcher(context.catalog.path, isDatabase: true, handler: noteChange)
        }
        return try? PackageWatcher(package) { change in
            if change.needsRescan || !change.devices.isEmpty
                || change.files.contains(where: { $0.kind == .catalog })
            {
                noteChange()
            }
        }
    }

    func look(at catalog: CatalogConnection) throws {
        context.look()
        // Take the stamp before counting, so that later writes count as changes.
        let (path, stamp) = (catalog.path, try? FileStamp(ofFileAt: catalog.path))
        // The watcher also reports changes of other devices' catalogs.
        let isKnown = reported.withLock { $0?.path == path && $0?.stamp == stamp }
        if isKnown, lifecycle.failure == nil, stamp?.isFresh == false { return }
        try catalog.count()
        lifecycle.noteRead()
        reportContent(of: catalog, path, stamp)
    }

    /// Reports a new problem. The hint is a separate event, because both together are too long for
    /// a line of the Events panel.
    func report(_ failure: SessionFailure, isNew: Bool, of catalog: CatalogConnection) {
        if isNew {
            lifecycle.emit(.status, "servers: \(failure.reason)")
            if let suggestion = failure.suggestion { lifecycle.emit(.status, suggestion.text) }
        }
        let path = catalog.path
        reportContent(of: catalog, path, try? FileStamp(ofFileAt: path))
    }

    /// Reports the differences from the content that was reported last.
    private func reportContent(
        of catalog: CatalogConnection, _ path: String, _ stamp: FileStamp?
    ) {
        let before = reported.withLock { $0 }
        // Show the servers before their digests are computed.
        if before == nil {
            if isWholeStore, lifecycle.failure == nil {
                let count = Counted.text(catalog.knownCount ?? 0, "server")
                lifecycle.emit(.loaded, "read \(count)")
            } else {
                lifecycle.emit(.status)
            }
        }
        let servers = ServerDigests(of: catalog)
        reported.withLock { $0 = (path, stamp, servers) }
        guard let before else { return }
        let isOther = path != before.path
        let marks = isOther ? [:] : servers.marks(since: before.servers)
        guard isOther || stamp != before.stamp || !marks.isEmpty else { return }
        lifecycle.emit(
            .changed(.servers, rows: marks, isOwn: isOther || context.hasWritten(stamp)),
            isOther ? "" : "server catalog updated")
    }
}

extension PaneID {
    /// The servers of a catalog.
    public static let servers = PaneID("servers")
}
