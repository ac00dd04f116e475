import Dispatch
import Foundation
import Replication
import Synchronization

/// The part that lists the stores below a folder and follows their changes.
final class StoresPart: SessionPart {
    let panes: [Pane]
    private let folder: StoreFolder
    private let source: StoresSource
    private let queue = DispatchQueue(label: "tideline-stores", qos: .userInitiated)
    private let watcher = Mutex<FolderTreeWatcher?>(nil)
    private let state = Mutex(State())

    private struct State {
        var contents = StoreFolder.Contents()
        var phase = SessionStatus.Phase.loading(stage: "searching for stores", fraction: nil)
        var emit: @Sendable (SessionEvent) -> Void = { _ in }
    }

    init(_ folder: StoreFolder) {
        self.folder = folder
        source = StoresSource(folder.path)
        panes = [Pane(.stores, source)]
    }

    var status: PartStatus {
        state.withLock { state in
            PartStatus(
                phase: state.phase, counts: [.stores: state.contents.stores.count],
                problems: state.contents.problems)
        }
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        state.withLock { $0.emit = emit }
        watcher.withLock { watcher in
            watcher = FolderTreeWatcher(
                folder.path, depth: StoreFolder.depth, window: .milliseconds(300)
            ) { [weak self] in self?.look() }
        }
        queue.async { [weak self] in self?.look() }
    }

    func reload() async {
        await withCheckedContinuation { waiting in
            queue.async { [self] in
                look()
                waiting.resume()
            }
        }
    }

    func close() async { watcher.withLock { $0 = nil } }

    /// Serializes searches that the watcher and the queue start.
    private let looking = Mutex(())

    private func look() {
        looking.withLock { _ in
            let before = state.withLock { $0.contents }
            let contents = folder.contents(after: before) { [weak self] in self?.show($0) }
            source.set(contents.stores)
            let (isFirst, emit) = state.withLock { state in
                defer {
                    state.contents = contents
                    state.phase = .live
                }
                return (state.phase != .live, state.emit)
            }
            if isFirst {
                let count = contents.stores.count
                emit(
                    SessionEvent(
                        .loaded, date: Date(),
                        summary: "found \(Counted.text(count, "store"))"))
                return
            }
            emitChanges(before, contents, emit)
        }
    }

    /// Shows the stores found so far, while the first search is running.
    private func show(_ found: [StoreFolder.Store]) {
        let emit = state.withLock { state -> (@Sendable (SessionEvent) -> Void)? in
            guard case .loading = state.phase, state.contents.stores.count < found.count else {
                return nil
            }
            state.contents.stores = found
            return state.emit
        }
        guard let emit else { return }
        source.set(found)
        emit(SessionEvent(.status, date: Date()))
    }

    private func emitChanges(
        _ before: StoreFolder.Contents, _ now: StoreFolder.Contents,
        _ emit: (SessionEvent) -> Void
    ) {
        var left = Dictionary(
            before.stores.map { (Name($0.name), $0) }, uniquingKeysWith: { first, _ in first })
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
        emit(
            SessionEvent(
                .changed(.stores, rows: marks, isOwn: false), date: Date(),
                summary: summary.sorted().prefix(3).joined(separator: ", ")))
    }
}

extension PaneID {
    /// The stores below a folder.
    public static let stores = PaneID("stores")
}
