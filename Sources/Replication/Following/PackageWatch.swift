import Foundation
import Synchronization

/// One watcher of a package for all stores that this process has open in it.
///
/// It begins with the first that subscribes and ends with the last. A watcher costs a thread, and
/// a look at each device's folder; ten stores of one package need no more than one.
public final class PackageWatch: Sendable {
    /// Tells of changes for as long as it is kept.
    public final class Subscription: Sendable {
        private let watch: PackageWatch
        private let number: Int

        fileprivate init(_ watch: PackageWatch, _ number: Int) {
            self.watch = watch
            self.number = number
        }

        deinit { cancel() }

        /// Ends telling. A call of the handler that has begun goes on; another does not follow.
        public func cancel() { watch.drop(number) }
    }

    private typealias Handler = @Sendable (PackageChange) -> Void

    private struct State {
        var handlers: [Int: Handler] = [:]
        var next = 0
        var watcher: FolderWatcher?
    }

    private struct Known {
        weak var watch: PackageWatch?
    }

    /// By the path without symbolic links.
    private static let known = Mutex<[Name: Known]>([:])

    private let state = Mutex(State())

    private init() {}

    /// Begins to tell of what changes in a package. What happens after this returns is told.
    ///
    /// - Parameter handler: Called on the watcher's own thread, so it should hand the change over
    ///   and return.
    /// - Throws: ``ReplicationError`` if the package is gone.
    public static func subscribe(
        to package: StorePackage, handler: @escaping @Sendable (PackageChange) -> Void
    ) throws(ReplicationError) -> Subscription {
        _ = try StorePackage(opening: package.path)
        let path = path(of: package)
        // Two that come at once must not make two watchers.
        return try known.withLock { known throws(ReplicationError) in
            known = known.filter { $0.value.watch != nil }
            if let watch = known[path]?.watch { return watch.add(handler) }
            let watch = PackageWatch()
            let watcher = try FolderWatcher(package) { [weak watch] in watch?.tell($0) }
            watch.state.withLock { $0.watcher = watcher }
            known[path] = Known(watch: watch)
            return watch.add(handler)
        }
    }

    /// How many subscribe to the one watcher of a package.
    package static func subscriberCount(of package: StorePackage) -> Int {
        known.withLock { $0[path(of: package)]?.watch }?.state.withLock { $0.handlers.count } ?? 0
    }

    private static func path(of package: StorePackage) -> Name {
        Name(URL(fileURLWithPath: package.path).resolvingSymlinksInPath().path)
    }

    private func add(_ handler: @escaping Handler) -> Subscription {
        let number = state.withLock { state in
            state.next += 1
            state.handlers[state.next] = handler
            return state.next
        }
        return Subscription(self, number)
    }

    private func drop(_ number: Int) {
        _ = state.withLock { $0.handlers.removeValue(forKey: number) }
    }

    private func tell(_ change: PackageChange) {
        let handlers = state.withLock { $0.handlers.sorted { $0.key < $1.key } }
        for (_, handler) in handlers { handler(change) }
    }
}
