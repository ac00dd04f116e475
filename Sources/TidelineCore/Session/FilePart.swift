import Replication

/// A part whose store is a file or a folder that other programs write.
///
/// The store doesn't report changes. Whenever a watcher reports that the store may have changed,
/// the part reads it again and reports the differences. While the store can't be read, the content
/// read last stays visible. If the file is the whole store, its deletion is reported as a missing
/// store.
protocol FilePart: FollowedPart where Change == Never {
    /// Whether the file is the whole store; `false` if it is part of a package.
    var isWholeStore: Bool { get }
    /// Reads the store if it has changed, and reports the changes. Not called concurrently.
    ///
    /// Calls ``StoreLifecycle/noteRead()`` before reporting changes.
    func look(at store: Store) throws
    /// Reports that the store can't be read. Not called while the store is missing.
    ///
    /// - Parameter isNew: Whether the previous attempt succeeded, or failed for another reason.
    func report(_ failure: SessionFailure, isNew: Bool, of store: Store)
}

extension FilePart {
    var isWholeStore: Bool { true }
    func changes(of store: Store) -> AsyncStream<Never>? { nil }
    func handle(_ change: Never, of store: Store) {}
    func read(_ store: Store) async { await refresh(store) }
    func sync(_ store: Store) async throws { try await check(store) }

    func filesChanged() async {
        guard let store = try? await loadedStore() else { return }
        await refresh(store, patience: lifecycle.patience)
    }

    /// Reports the status. Only a new reason is shown in the Events panel.
    func report(_ failure: SessionFailure, isNew: Bool, of store: Store) {
        lifecycle.emit(.status, isNew ? "not read: \(failure.reason)" : "")
    }

    /// Reads the store now if it has changed.
    ///
    /// - Throws: The reason why the whole store can't be read.
    func check(_ store: Store) async throws {
        await refresh(store)
        if isWholeStore, let failure = lifecycle.failure { throw failure }
    }

    /// Reads the store if it has changed. If it can't be read, tries again after `patience` before
    /// the failure is reported.
    func refresh(_ store: Store, patience: Duration = .zero) async {
        let isDone: Bool = await lifecycle.perform {
            do {
                try self.look(at: store)
            } catch {
                guard patience == .zero else { return false }
                self.note(SessionFailure(error), of: store)
            }
            return true
        }
        guard !isDone, (try? await Task.sleep(for: patience)) != nil else { return }
        await refresh(store)
    }

    /// Reports that the store is missing, or that it can't be read.
    private func note(_ failure: SessionFailure, of store: Store) {
        let wasMissing = lifecycle.phase == .missing
        let wasRead = wasMissing || lifecycle.phase == .live
        let isMissing = isWholeStore && wasRead && failure.category == .noSuchFile
        let isNew = lifecycle.noteFailure(failure)
        if isMissing != wasMissing { lifecycle.setMissing(isMissing) }
        if !isMissing { report(failure, isNew: isNew, of: store) }
    }
}
