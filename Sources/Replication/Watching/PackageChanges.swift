import Synchronization

/// What changes in a package, for `for await`.
///
/// Changes that come while the loop's body runs are merged into one, so that a slow reader costs no
/// memory. The sequence ends with the task that reads it; a package that is gone may come back. It is
/// for one reader.
public struct PackageChanges: AsyncSequence, Sendable {
    /// What happened since the last element.
    public typealias Element = PackageChange
    /// Watching does not fail: a package that is gone is told as a change.
    public typealias Failure = Never

    private let mailbox: Mailbox
    private let watcher: FolderWatcher

    /// Begins to watch. What happens after this returns is told.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone.
    public init(
        in package: StorePackage, options: FolderWatcher.Options = .init()
    ) throws(ReplicationError) {
        let mailbox = Mailbox()
        self.mailbox = mailbox
        watcher = try FolderWatcher(package, options: options) { mailbox.put($0) }
    }

    /// The iterator of the one reader; a second reader would end the wait of the first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(mailbox: mailbox, watcher: watcher)
    }

    /// Waits for the next change. The package is watched for as long as one of these is kept.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox
        /// Watching goes on for as long as somebody can ask.
        fileprivate let watcher: FolderWatcher

        /// The changes since the last call, merged into one; waits for the first.
        ///
        /// - Returns: `nil` once the task that reads is cancelled.
        public func next() async -> PackageChange? {
            await next(isolation: nil)
        }

        /// As ``next()``, without leaving the caller's actor.
        public func next(isolation actor: isolated (any Actor)?) async -> PackageChange? {
            await mailbox.next()
        }
    }

    /// Where changes wait for the reader, and the reader for changes.
    ///
    /// Nobody is woken under the lock: a task that is being cancelled holds one of its own while it
    /// waits for this one, and waking it would want that.
    final class Mailbox: Sendable {
        typealias Reader = CheckedContinuation<PackageChange?, Never>

        private struct State {
            var change: PackageChange?
            var reader: Reader?
            var isEnded = false
        }

        private let state = Mutex(State())

        /// What was put since the last call; waits for the first.
        ///
        /// - Returns: `nil` once the task that reads is cancelled.
        func next(isolation actor: isolated (any Actor)? = #isolation) async -> PackageChange? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { take($0) }
            } onCancel: {
                end()
            }
        }

        func put(_ change: PackageChange) {
            let reader = state.withLock { state -> Reader? in
                guard state.reader == nil else { return state.reader.take() }
                if state.change == nil {
                    state.change = change
                } else {
                    state.change?.merge(change)
                }
                return nil
            }
            reader?.resume(returning: change)
        }

        private func take(_ reader: Reader) {
            let (woken, change) = state.withLock { state -> (Reader?, PackageChange?) in
                if let change = state.change.take() { return (reader, change) }
                if state.isEnded { return (reader, nil) }
                // One reader at a time; an earlier one is let go.
                defer { state.reader = reader }
                return (state.reader, nil)
            }
            woken?.resume(returning: change)
        }

        private func end() {
            let reader = state.withLock { state in
                state.isEnded = true
                return state.reader.take()
            }
            reader?.resume(returning: nil)
        }
    }
}
