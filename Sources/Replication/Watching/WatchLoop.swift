import Glibc

/// The loop of the watcher's thread.
///
/// `@unchecked`: created on one thread, then used only on the watcher's own.
final class WatchLoop: @unchecked Sendable {
    private typealias Instant = ContinuousClock.Instant

    private let package: StorePackage
    private let options: FolderWatcher.Options
    private let signal: WakeUp
    private let handler: @Sendable (PackageChange) -> Void
    private let tree: WatchTree?
    private var state: PackageState?
    /// Whether the package was missing at the last poll.
    private var isAway = false
    private var pending = PendingChange()
    private var quietUntil = ContinuousClock.now
    /// The time of the next poll, if any.
    private var nextLook: Instant?
    /// The time to report pending changes even without another event.
    private var nextDelivery: Instant?

    var isPolling: Bool { nextLook != nil }

    init(
        _ package: StorePackage, _ options: FolderWatcher.Options, _ signal: WakeUp,
        _ handler: @escaping @Sendable (PackageChange) -> Void
    ) throws(ReplicationError) {
        self.package = package
        self.options = options
        self.signal = signal
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

    func run() {
        while wait() {
            tree?.collect(into: &pending)
            look()
            deliver()
        }
    }

    /// Sleeps until there is something to do.
    ///
    /// - Returns: `false` if watching has ended.
    private func wait() -> Bool {
        var descriptors = [pollfd(fd: signal.descriptor, events: Int16(POLLIN), revents: 0)]
        if let tree {
            descriptors.append(pollfd(fd: tree.descriptor, events: Int16(POLLIN), revents: 0))
        }
        _ = poll(&descriptors, nfds_t(descriptors.count), timeout())
        return descriptors[0].revents == 0
    }

    /// The timeout in milliseconds, rounded up; -1 for none.
    private func timeout() -> Int32 {
        guard let wake = [nextLook, nextDelivery].compactMap(\.self).min() else { return -1 }
        let left = (wake - .now) / .milliseconds(1)
        return left <= 0 ? 0 : Int32(min(left.rounded(.up), 3_600_000))
    }

    /// Compares the package with its last snapshot, if a poll is due.
    private func look() {
        let now = ContinuousClock.now
        if nextLook == nil, needsPolling {
            // No watches are left, or a folder can't be read.
            nextLook = now
        }
        guard let due = nextLook, now >= due else { return }
        let wasAway = isAway || tree?.isAway == true
        do {
            let found = try PackageState(of: package)
            if wasAway {
                isAway = false
                tree?.comeBack()
                pending.back(at: now)
            } else if let state {
                found.differences(from: state, at: now, into: &pending)
            } else {
                pending.rescan(at: now)
            }
            state = found
        } catch {
            if !package.isThere {
                isAway = true
                if !wasAway { pending.gone(at: now) }
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
