import Foundation
import Replication
import ServerCatalogGRDB
import Synchronization

/// A server catalog as a part of a session: groups, their servers, each server.
final class CatalogPart: SessionPart {
    let panes: [Pane]
    private let context: CatalogContext
    private let watching = Mutex<Task<Void, Never>?>(nil)

    private var catalog: CatalogConnection { context.catalog }
    private var isWhole: Bool { context.package == nil }

    init(_ context: CatalogContext) {
        self.context = context
        panes = [Pane(.servers, ServerGroupsSource(context))]
    }

    var status: PartStatus {
        PartStatus(
            phase: isWhole ? phase : nil, ownDevice: context.device,
            counts: catalog.knownCount.map { [.servers: $0] } ?? [:],
            problems: catalog.problem.map { ["servers: \($0)"] } ?? [])
    }

    private var phase: SessionStatus.Phase {
        if catalog.knownCount != nil { return .live }
        return catalog.failure.map { .failed(SessionFailure($0)) }
            ?? .loading(stage: "counting servers", fraction: nil)
    }

    func setWritable(_ isWritable: Bool) { context.isUnlocked = isWritable }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        let isWhole = isWhole
        watching.withLock { task in
            task = Task { [catalog, context] in
                if let note = context.choiceNote {
                    emit(SessionEvent(.status, date: Date(), summary: "servers: \(note)"))
                }
                let writes = Self.writes(in: context)
                // Take the stamp before counting, so that later writes count as changes.
                var (path, stamp) = (catalog.path, try? FileStamp(ofFileAt: catalog.path))
                var reported = await Self.count(catalog, reported: nil, emit)
                let isLoaded = isWhole && catalog.knownCount != nil
                emit(SessionEvent(isLoaded ? .loaded : .status, date: Date()))
                var known = ServerDigests(of: catalog)
                for await _ in writes {
                    context.look()
                    let shown = catalog.path
                    // In a package, other files may have changed; a single file may have a journal.
                    let current = try? FileStamp(ofFileAt: shown)
                    if !isWhole, shown == path, current == stamp { continue }
                    stamp = current
                    reported = await Self.count(
                        catalog, reported: reported, patience: .milliseconds(300), emit)
                    let now = ServerDigests(of: catalog)
                    let isOther = shown != path
                    emit(
                        SessionEvent(
                            .changed(
                                .servers, rows: isOther ? [:] : now.marks(since: known),
                                isOwn: isOther || context.hasWritten(stamp)),
                            date: Date(),
                            summary: isOther ? "" : "server catalog updated"))
                    (path, known) = (shown, now)
                }
            }
        }
    }

    /// Counts the servers, and reports a new problem. The hint is a separate event, because both
    /// together are too long for a line of the Events panel.
    ///
    /// - Parameters:
    ///   - reported: The problem reported last.
    ///   - patience: The time after which a catalog is read again before a problem is reported. It
    ///     may be between two writes, for example while it is rebuilt.
    /// - Returns: The current problem.
    private static func count(
        _ catalog: CatalogConnection, reported: String?, patience: Duration = .zero,
        _ emit: (SessionEvent) -> Void
    ) async -> String? {
        await catalog.count()
        if catalog.failure != nil, patience > .zero {
            try? await Task.sleep(for: patience)
            await catalog.count()
        }
        guard let failure = catalog.failure, failure.description != reported else {
            return catalog.problem
        }
        emit(SessionEvent(.status, date: Date(), summary: "servers: \(failure.reason)"))
        if let suggestion = failure.suggestion {
            emit(SessionEvent(.status, date: Date(), summary: suggestion.text))
        }
        return failure.description
    }

    /// Returns a stream with an element for each possible write to the catalog. Unread elements are
    /// merged into one.
    private static func writes(in context: CatalogContext) -> AsyncStream<Void> {
        let (stream, writes) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        context.onChange { writes.yield() }
        let watcher: (any Sendable)? =
            if let package = context.package {
                try? PackageWatcher(package) { change in
                    if change.needsRescan || !change.devices.isEmpty
                        || change.files.contains(where: { $0.kind == .catalog })
                    {
                        writes.yield()
                    }
                }
            } else {
                FileWatcher(context.catalog.path, isDatabase: true) { writes.yield() }
            }
        writes.onTermination = { _ in _ = watcher }
        return stream
    }

    func reload() async { await catalog.count() }
    func close() async { watching.withLock { $0?.cancel() } }
}

extension PaneID {
    /// The servers of a catalog.
    public static let servers = PaneID("servers")
}
