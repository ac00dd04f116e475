import Foundation
import Replication
import ServerCatalogGRDB
import Synchronization

/// A server catalog as a part of a session: groups, their servers, each server.
final class CatalogPart: SessionPart {
    let panes: [Pane]
    private let catalog: CatalogFile
    private let package: StorePackage?
    private let isWhole: Bool
    /// The note about whose catalog is shown; `nil` if it can't be mistaken.
    private let choice: String?
    private let watching = Mutex<Task<Void, Never>?>(nil)

    /// Creates the part for a single catalog file.
    convenience init(file: String) {
        self.init(file: file, package: nil, owner: nil, choice: nil, isOwn: false)
    }

    /// Creates the part for a package's catalog: the device's own, or the first.
    ///
    /// - Returns: `nil` for a package without one.
    convenience init?(package: StorePackage, device: DeviceID?) {
        guard let found = try? CatalogLocation.catalogs(in: package), let first = found.first
        else { return nil }
        let shown = found.first { $0.id == device } ?? first
        let choice =
            shown.id == device
            ? nil : Self.choice(shown: shown, others: found.dropFirst(), device)
        self.init(
            file: shown.path(of: .catalog), package: package,
            owner: choice == nil ? nil : shown.id, choice: choice, isOwn: shown.id == device)
    }

    /// Returns the note that another device's catalog is shown.
    private static func choice(
        shown: DeviceFolder, others: ArraySlice<DeviceFolder>, _ device: DeviceID?
    ) -> String? {
        let isShown = "showing \(shown.id)'s catalog"
        guard others.isEmpty else {
            return "\(isShown); to choose another one start with --device: "
                + others.map(\.id.name).joined(separator: ", ")
        }
        return device.map { _ in "\(isShown), because this device has none" }
    }

    private init(
        file: String, package: StorePackage?, owner: DeviceID?, choice: String?, isOwn: Bool
    ) {
        catalog = CatalogFile(path: file, store: package?.path ?? file)
        self.package = package
        self.choice = choice
        isWhole = package == nil
        panes = [Pane(.servers, ServerGroupsSource(catalog, owner: owner, isOwn: isOwn))]
    }

    var status: PartStatus {
        PartStatus(
            phase: isWhole ? phase : nil,
            counts: catalog.knownCount.map { [.servers: $0] } ?? [:],
            problems: catalog.problem.map { ["servers: \($0)"] } ?? [])
    }

    private var phase: SessionStatus.Phase {
        if catalog.knownCount != nil { return .live }
        return catalog.failure.map { .failed(SessionFailure($0)) }
            ?? .loading(stage: "counting servers", fraction: nil)
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        let isWhole = isWhole
        watching.withLock { task in
            task = Task { [catalog, package, choice] in
                if let choice {
                    emit(SessionEvent(.status, date: Date(), summary: "servers: \(choice)"))
                }
                let writes = Self.writes(to: catalog.path, in: package)
                // Taken before counting, so that later writes count as changes.
                var stamp = try? FileStamp(ofFileAt: catalog.path)
                var reported = await Self.count(catalog, reported: nil, emit)
                let isLoaded = isWhole && catalog.knownCount != nil
                emit(SessionEvent(isLoaded ? .loaded : .status, date: Date()))
                var known = KnownServers(of: catalog)
                for await _ in writes {
                    // In a package, other files may have changed; a single file may have a journal.
                    let current = try? FileStamp(ofFileAt: catalog.path)
                    if !isWhole, current == stamp { continue }
                    stamp = current
                    reported = await Self.count(catalog, reported: reported, emit)
                    let now = KnownServers(of: catalog)
                    emit(
                        SessionEvent(
                            .changed(.servers, rows: now.marks(since: known), isOwn: false),
                            date: Date(), summary: "server catalog updated"))
                    known = now
                }
            }
        }
    }

    /// Counts the servers and reports a new problem. The hint is a separate event, because both
    /// together are too long for a line of the feed.
    ///
    /// - Parameter reported: The problem reported last.
    /// - Returns: The current problem.
    private static func count(
        _ catalog: CatalogFile, reported: String?, _ emit: (SessionEvent) -> Void
    ) async -> String? {
        await catalog.count()
        guard let failure = catalog.failure, failure.description != reported else {
            return catalog.problem
        }
        emit(SessionEvent(.status, date: Date(), summary: "servers: \(failure.reason)"))
        if let suggestion = failure.suggestion {
            emit(SessionEvent(.status, date: Date(), summary: suggestion.text))
        }
        return failure.description
    }

    /// Returns an element for each possible write to the catalog. Unread elements are merged into
    /// one.
    private static func writes(to file: String, in package: StorePackage?) -> AsyncStream<Void> {
        let (stream, writes) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watcher: (any Sendable)? =
            if let package {
                try? FolderWatcher(package) { change in
                    if change.needsRescan || !change.devices.isEmpty
                        || change.files.contains(where: { $0.kind == .catalog })
                    {
                        writes.yield()
                    }
                }
            } else {
                FileWatcher(file, isDatabase: true) { writes.yield() }
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
