import Foundation
import Replication
import Synchronization

/// A server catalog as part of a session: groups, their servers, each server.
final class CatalogPart: SessionPart {
    let rooms: [Room]
    private let catalog: CatalogFile
    private let package: StorePackage?
    private let isWhole: Bool
    private let watching = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - package: The package that the catalog is in.
    ///   - isWhole: Whether the session is about the catalog alone.
    init(file: String, package: StorePackage? = nil, isWhole: Bool) {
        catalog = CatalogFile(path: file, store: package?.path ?? file)
        self.package = package
        self.isWhole = isWhole
        rooms = [Room(.servers, ServerGroupsSource(catalog))]
    }

    func contribute(to status: inout SessionStatus) {
        if let count = catalog.knownCount { status.counts[.servers] = count }
        if isWhole { status.phase = .live }
        if let problem = catalog.problem {
            status.problems.append("servers: \(problem)")
        }
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        let isWhole = isWhole
        watching.withLock { task in
            task = Task { [catalog, package] in
                let writes = Self.writes(to: catalog.path, in: package)
                await catalog.count()
                emit(SessionEvent(isWhole ? .loaded : .status, date: Date()))
                for await _ in writes {
                    await catalog.count()
                    emit(
                        SessionEvent(
                            .changed(.servers, rows: [:], isOwn: false), date: Date(),
                            summary: "the server catalog was written"))
                }
            }
        }
    }

    /// An element whenever the catalog may have been written; those that nobody took are one.
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
                FileWatcher(file, isDatabase: true) { writes.yield() }
            }
        writes.onTermination = { _ in _ = watcher }
        return stream
    }

    func reload() async { await catalog.count() }
    func setWritable(_ isWritable: Bool) {}
    func close() async { watching.withLock { $0?.cancel() } }
}
