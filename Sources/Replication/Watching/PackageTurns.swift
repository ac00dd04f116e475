/// The work of a package's watcher.
final class PackageTurns: WatchTurns {
    private let package: StorePackage
    private let options: PackageWatcher.Options
    private let handler: @Sendable (PackageChange) -> Void
    private let tree: WatchTree?
    private var state: PackageState?
    /// Whether the package was missing at the last poll.
    private var isMissing = false
    private var pending = PendingChange()
    private var quietUntil = ContinuousClock.now
    /// The time of the next poll, if any.
    private var nextLook: Instant?
    /// The time at which pending changes are reported even if no other event arrives.
    private var nextDelivery: Instant?

    var isPolling: Bool { nextLook != nil }

    init(
        _ package: StorePackage, _ options: PackageWatcher.Options,
        _ handler: @escaping @Sendable (PackageChange) -> Void
    ) throws(ReplicationError) {
        self.package = package
        self.options = options
        self.handler = handler
        tree =
            options.polls
            ? nil
            : WatchTree(
                package, watchLimit: options.watchLimit, hasOwnQueue: options.hasOwnQueue)
        _ = try StorePackage(opening: package.path)
        if needsPolling || FileSystemKind.raisesNoEvents(at: package.path) {
            state = try PackageState(of: package)
            nextLook = .now + options.pollInterval
        }
    }

    private var needsPolling: Bool { tree.map { !$0.isComplete } ?? true }

    var descriptor: Int32? { tree?.descriptor }

    var nextTurn: Instant? { [nextLook, nextDelivery].compactMap(\.self).min() }

    /// Reads the waiting events, polls if a poll is due, and reports the changes that are ready.
    func turn() {
        tree?.collect(into: &pending)
        look()
        deliver()
    }

    /// Compares the package with its last snapshot, if a poll is due.
    private func look() {
        let now = ContinuousClock.now
        if nextLook == nil, needsPolling {
            // No watches are left, or a folder can't be read.
            nextLook = now
        }
        guard let due = nextLook, now >= due else { return }
        let wasMissing = isMissing || tree?.isMissing == true
        do {
            let found = try PackageState(of: package)
            if wasMissing {
                isMissing = false
                tree?.watchAgain()
                pending.noteReturned(at: now)
            } else if let state {
                found.differences(from: state, at: now, into: &pending)
            } else {
                pending.rescan(at: now)
            }
            state = found
        } catch {
            if !package.exists {
                isMissing = true
                if !wasMissing { pending.noteDeleted(at: now) }
            }
        }
        nextLook = .now + options.pollInterval
    }

    /// Reports the changes that are ready.
    private func deliver() {
        let now = ContinuousClock.now
        nextDelivery = nil
        guard !pending.isEmpty else { return }
        guard now >= quietUntil else {
            nextDelivery = quietUntil
            return
        }
        let change = pending.take { path, since in
            now - since < options.patience && Self.isBeingWritten(path)
        }
        nextDelivery = pending.oldestFile.map { $0 + options.patience }
        guard var change else { return }
        change.files.subtract(options.ignoredFiles)
        guard !change.isEmpty else { return }
        handler(change)
        quietUntil = .now + options.window
        nextDelivery = nextDelivery.map { max($0, quietUntil) }
    }

    private static func isBeingWritten(_ path: String) -> Bool {
        (try? FileStamp.rollbackJournal(of: path)) ?? nil != nil
    }
}
