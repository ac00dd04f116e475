import Replication
import Synchronization

/// The part that lists the stores below a folder and follows their changes.
final class StoresPart: FilePart {
    let panes: [Pane]
    let lifecycle = StoreLifecycle<StoreFolder>(stage: "searching for stores", subject: "folder")
    private let folder: StoreFolder
    private let source: StoresSource
    private let contents = Mutex(StoreFolder.Contents())

    init(_ folder: StoreFolder) {
        self.folder = folder
        source = StoresSource(folder.path)
        panes = [Pane(.stores, source, in: .package)]
    }

    var status: PartStatus {
        let phase = lifecycle.phase
        return contents.withLock { contents in
            PartStatus(
                phase: phase, counts: [.stores: contents.stores.count],
                problems: contents.problems)
        }
    }

    func open() -> StoreFolder { folder }

    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? {
        FolderTreeWatcher(
            folder.path, depth: StoreFolder.depth, window: .milliseconds(300),
            handler: noteChange)
    }

    func look(at folder: StoreFolder) throws {
        guard try StoreKind.isFolder(folder.path) else {
            throw ReplicationError(.notFound, at: folder.path, "no longer a folder")
        }
        let (isFirst, before) = (lifecycle.phase != .live, contents.withLock { $0 })
        let now = folder.contents(after: before) { [weak self] in self?.show($0) }
        source.set(now.stores)
        contents.withLock { $0 = now }
        lifecycle.noteRead()
        if isFirst {
            lifecycle.emit(.loaded, "found \(Counted.text(now.stores.count, "store"))")
        } else {
            emitChanges(before, now)
        }
    }

    /// Shows the stores found so far, while the first search is running.
    private func show(_ found: [StoreFolder.Store]) {
        guard case .loading = lifecycle.phase else { return }
        let isMore = contents.withLock { contents in
            guard contents.stores.count < found.count else { return false }
            contents.stores = found
            return true
        }
        guard isMore else { return }
        source.set(found)
        lifecycle.emit(.status)
    }

    private func emitChanges(_ before: StoreFolder.Contents, _ now: StoreFolder.Contents) {
        var left = Dictionary(keepingFirst: before.stores.map { (Name($0.name), $0) })
        var marks: [RowID: RowMark] = [:]
        var summary: [String] = []
        for store in now.stores {
            guard let old = left.removeValue(forKey: Name(store.name)) else {
                marks[source.id(of: store)] = .new
                summary.append("+ \(store.name)")
                continue
            }
            if old != store { marks[source.id(of: store)] = .changed }
        }
        for store in left.values {
            marks[source.id(of: store)] = .deleted
            summary.append("- \(store.name)")
        }
        guard !marks.isEmpty || before.problems != now.problems else { return }
        lifecycle.emit(
            .changed(.stores, rows: marks, isOwn: false),
            summary.sorted().prefix(3).joined(separator: ", "))
    }
}

extension PaneID {
    /// The stores below a folder.
    public static let stores = PaneID("stores")
}
