import Foundation
import Replication
import Synchronization

/// A server catalog as part of a session: groups, their servers, each server.
final class CatalogPart: SessionPart {
    let panes: [Pane]
    private let catalog: CatalogFile
    private let package: StorePackage?
    private let isWhole: Bool
    /// Whose catalog is shown, for the feed; `nil` where nobody could take it for another.
    private let choice: String?
    private let watching = Mutex<Task<Void, Never>?>(nil)

    /// A catalog by itself.
    convenience init(file: String) {
        self.init(file: file, package: nil, owner: nil, choice: nil, isOwn: false)
    }

    /// The catalog of a package: the device's own, or else the first that there is.
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

    /// What is to be said where the catalog of another device than a person's own is shown.
    private static func choice(
        shown: DeviceFolder, others: ArraySlice<DeviceFolder>, _ device: DeviceID?
    ) -> String? {
        let isShown = "\(shown.id)'s catalog is shown"
        guard others.isEmpty else {
            return "\(isShown); name another device with --device: "
                + others.map(\.id.name).joined(separator: ", ")
        }
        return device.map { _ in "\(isShown); this device has none" }
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
            ?? .loading(stage: "counting", fraction: nil)
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        let isWhole = isWhole
        watching.withLock { task in
            task = Task { [catalog, package, choice] in
                if let choice {
                    emit(SessionEvent(.status, date: Date(), summary: "servers: \(choice)"))
                }
                let writes = Self.writes(to: catalog.path, in: package)
                // Taken before counting: what is written meanwhile is seen as a change.
                var stamp = try? FileStamp(ofFileAt: catalog.path)
                var told = await Self.count(catalog, told: nil, emit)
                let isLoaded = isWhole && catalog.knownCount != nil
                emit(SessionEvent(isLoaded ? .loaded : .status, date: Date()))
                var known = KnownServers(of: catalog)
                for await _ in writes {
                    // A folder that came or went is no write; a file alone may have a log beside it.
                    let current = try? FileStamp(ofFileAt: catalog.path)
                    if !isWhole, current == stamp { continue }
                    stamp = current
                    told = await Self.count(catalog, told: told, emit)
                    let now = KnownServers(of: catalog)
                    emit(
                        SessionEvent(
                            .changed(.servers, rows: now.marks(since: known), isOwn: false),
                            date: Date(), summary: "the server catalog was written"))
                    known = now
                }
            }
        }
    }

    /// Counts the servers, and tells of a problem that is new, with the way out in a line of its
    /// own: together they are longer than a line of the feed.
    ///
    /// - Parameter told: The problem that was told last.
    /// - Returns: The problem that there is now.
    private static func count(
        _ catalog: CatalogFile, told: String?, _ emit: (SessionEvent) -> Void
    ) async -> String? {
        await catalog.count()
        guard let failure = catalog.failure, failure.description != told else {
            return catalog.problem
        }
        emit(SessionEvent(.status, date: Date(), summary: "servers: \(failure.reason)"))
        if let wayOut = failure.wayOut {
            emit(SessionEvent(.status, date: Date(), summary: wayOut))
        }
        return failure.description
    }

    /// An element whenever the catalog may have been written; those that nobody has taken yet
    /// become one.
    private static func writes(to file: String, in package: StorePackage?) -> AsyncStream<Void> {
        let (stream, writes) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watcher: (any Sendable)? =
            if let package {
                try? FolderWatcher(package) { change in
                    if change.needsRescan || change.files.contains(where: { $0.kind == .catalog }) {
                        writes.yield()
                    }
                }
            } else {
                try? FileWatcher(file, isDatabase: true) { writes.yield() }
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
