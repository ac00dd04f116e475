import Synchronization

/// The changes in a package, for `for await`.
///
/// Changes that arrive while the loop's body runs are merged, so a slow reader costs no memory. The
/// sequence ends with the task that reads it. It continues if the package is deleted, because a
/// package may come back. Only one reader is supported.
public struct PackageChanges: AsyncSequence, Sendable {
    /// The changes since the last element.
    public typealias Element = PackageChange
    /// Watching doesn't fail. A deleted package is reported as a change.
    public typealias Failure = Never

    private let mailbox: Mailbox
    private let watcher: PackageWatcher

    /// Starts watching. Every change made after this method returns is reported.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing.
    public init(
        in package: StorePackage, options: PackageWatcher.Options = .init()
    ) throws(ReplicationError) {
        let mailbox = Mailbox()
        self.mailbox = mailbox
        watcher = try PackageWatcher(package, options: options) { mailbox.put($0) }
    }

    /// Returns the iterator of the only reader. A second reader would end the wait of the first.
    public func makeAsyncIterator() -> Iterator {
        Iterator(mailbox: mailbox, watcher: watcher)
    }

    /// An iterator that waits for the next change. The package is watched for as long as an
    /// iterator or the sequence exists.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let mailbox: Mailbox
        /// The watcher, which runs for as long as the iterator can be used.
        fileprivate let watcher: PackageWatcher

        /// Returns the changes since the last call, merged into one. If there are none, waits for
        /// the first change.
        ///
        /// - Returns: `nil` once the reading task is canceled.
        public func next() async -> PackageChange? {
            await next(isolation: nil)
        }

        /// Works like ``next()``, without leaving the caller's actor.
        public func next(isolation actor: isolated (any Actor)?) async -> PackageChange? {
            await mailbox.next()
        }
    }

    /// A mailbox with merged changes for one reader.
    ///
    /// Don't resume a task while holding the lock of the mailbox. Resuming a task takes the task's
    /// lock. A task that is being canceled holds this lock while it waits for the lock of the
    /// mailbox.
    final class Mailbox: Sendable {
        typealias Reader = CheckedContinuation<PackageChange?, Never>

        private struct State {
            var change: PackageChange?
            var reader: Reader?
            var isEnded = false
        }

        private let state = Mutex(State())

        /// Returns the changes since the last call. Waits for the first.
        ///
        /// - Returns: `nil` once the reading task is canceled.
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
                // Only one reader waits at a time. An earlier reader is resumed.
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
