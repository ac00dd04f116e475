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
            let mailbox = mailbox
            return await withTaskCancellationHandler {
                await withCheckedContinuation { mailbox.take($0) }
            } onCancel: {
                mailbox.end()
            }
        }
    }

    fileprivate final class Mailbox: Sendable {
        private struct State {
            var change: PackageChange?
            var reader: CheckedContinuation<PackageChange?, Never>?
            var isEnded = false
        }

        private let state = Mutex(State())

        func put(_ change: PackageChange) {
            state.withLock { state in
                if let reader = state.reader {
                    state.reader = nil
                    reader.resume(returning: change)
                } else if state.change == nil {
                    state.change = change
                } else {
                    state.change?.merge(change)
                }
            }
        }

        func take(_ reader: CheckedContinuation<PackageChange?, Never>) {
            state.withLock { state in
                if let change = state.change {
                    state.change = nil
                    reader.resume(returning: change)
                } else if state.isEnded {
                    reader.resume(returning: nil)
                } else {
                    // One reader at a time; an earlier one is let go.
                    state.reader?.resume(returning: nil)
                    state.reader = reader
                }
            }
        }

        func end() {
            state.withLock { state in
                state.isEnded = true
                state.reader?.resume(returning: nil)
                state.reader = nil
            }
        }
    }
}
