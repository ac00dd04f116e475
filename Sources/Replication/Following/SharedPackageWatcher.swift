import Foundation
import Synchronization

/// A watcher of a package, shared by all of its stores in this process.
///
/// The watcher starts with the first subscription and ends with the last. A watcher needs no
/// thread, but it scans the folder of each device and uses a kernel watch for each folder. Stores
/// of the same package share a watcher, so each change is examined once.
public final class SharedPackageWatcher: Sendable {
    /// A subscription to changes, which lasts until it is canceled or deallocated.
    public final class Subscription: Sendable {
        private let watch: SharedPackageWatcher
        private let number: Int

        fileprivate init(_ watch: SharedPackageWatcher, _ number: Int) {
            self.watch = watch
            self.number = number
        }

        deinit { cancel() }

        /// Cancels the subscription. A running call of the handler finishes, and no further call
        /// follows.
        public func cancel() { watch.drop(number) }
    }

    private typealias Handler = @Sendable (PackageChange) -> Void

    private struct State {
        var handlers: [Int: Handler] = [:]
        var next = 0
        var watcher: PackageWatcher?
    }

    private struct Known {
        weak var watch: SharedPackageWatcher?
    }

    /// The watches by package path without symbolic links.
    private static let known = Mutex<[Name: Known]>([:])

    private let state = Mutex(State())

    private init() {}

    /// Subscribes to changes in a package. Every change made after this method returns is reported.
    ///
    /// - Parameter handler: Called on the watcher's own queue, so it should pass the change on and
    ///   return.
    /// - Throws: ``ReplicationError`` if the package is missing.
    public static func subscribe(
        to package: StorePackage, handler: @escaping @Sendable (PackageChange) -> Void
    ) throws(ReplicationError) -> Subscription {
        _ = try StorePackage(opening: package.path)
        let path = path(of: package)
        // Concurrent subscribers must not create two watchers.
        return try known.withLock { known throws(ReplicationError) in
            known = known.filter { $0.value.watch != nil }
            if let watch = known[path]?.watch { return watch.add(handler) }
            let watch = SharedPackageWatcher()
            let watcher = try PackageWatcher(package) { [weak watch] in watch?.notify($0) }
            watch.state.withLock { $0.watcher = watcher }
            known[path] = Known(watch: watch)
            return watch.add(handler)
        }
    }

    /// Returns the number of subscriptions to the watcher of a package.
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

    private func notify(_ change: PackageChange) {
        let handlers = state.withLock { $0.handlers.sorted { $0.key < $1.key } }
        for (_, handler) in handlers { handler(change) }
    }
}
