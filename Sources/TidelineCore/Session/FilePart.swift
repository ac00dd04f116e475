/// A part whose store is a file or a folder that other programs write.
///
/// The store doesn't report changes. Whenever a watcher reports that it may have changed, the part
/// looks at it again and reports the differences. While it can't be read, the content that was read
/// last stays visible.
protocol FilePart: FollowedPart where Change == Never {
    /// Reads the store if it has changed, and reports the changes. Not called concurrently.
    ///
    /// Calls ``StoreLifecycle/noteRead()`` before it reports changes.
    func look(at store: Store) throws
    /// Reports that the store can't be read.
    ///
    /// - Parameter isNew: Whether the last attempt succeeded, or failed for another reason.
    func report(_ failure: SessionFailure, isNew: Bool, of store: Store)
}

extension FilePart {
    func changes(of store: Store) -> AsyncStream<Never>? { nil }
    func handle(_ change: Never, of store: Store) {}
    func read(_ store: Store) async { await refresh(store) }
    func sync(_ store: Store) async { await refresh(store) }

    func filesChanged() async {
        guard let store = try? await loadedStore() else { return }
        await refresh(store, patience: lifecycle.patience)
    }

    /// Reports only that the status has changed.
    func report(_ failure: SessionFailure, isNew: Bool, of store: Store) {
        lifecycle.emit(.status)
    }

    /// Looks at the store. If it can't be read, tries again after `patience` before this is
    /// reported.
    func refresh(_ store: Store, patience: Duration = .zero) async {
        let isDone: Bool = await lifecycle.perform {
            do {
                try self.look(at: store)
            } catch {
                guard patience == .zero else { return false }
                let failure = SessionFailure(error)
                let isNew = self.lifecycle.noteFailure(failure)
                self.report(failure, isNew: isNew, of: store)
            }
            return true
        }
        guard !isDone, (try? await Task.sleep(for: patience)) != nil else { return }
        await refresh(store)
    }
}
