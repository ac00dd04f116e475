/// A part whose store is opened, read completely, and then followed.
///
/// A data model provides the steps. The protocol runs them in order, reports failures, and can
/// retry if opening the store failed. For a file that other programs write, ``FilePart`` provides
/// most of the steps.
protocol FollowedPart: SessionPart {
    /// The store of the data model.
    associatedtype Store: Sendable
    associatedtype Change: Sendable

    var lifecycle: StoreLifecycle<Store> { get }

    func open() async throws -> Store
    /// Returns the changes of the store from now on; `nil` if the part doesn't follow them.
    func changes(of store: Store) -> AsyncStream<Change>?
    /// Reads the store. Changes that the store reports during the read are handled afterward.
    func read(_ store: Store) async throws
    /// Reports that the store was read.
    func finishLoading(_ store: Store)
    func handle(_ change: Change, of store: Store) async
    /// Checks every file of the store now.
    func sync(_ store: Store) async throws
    /// Starts to watch the files that the store doesn't watch itself.
    ///
    /// - Parameter noteChange: The function to call after every change.
    /// - Returns: The watcher, which stops when it is released; `nil` if the store watches all its
    ///   files itself.
    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)?
    /// Reads the files again, because the watcher has reported changes.
    func filesChanged() async
}

extension FollowedPart {
    func finishLoading(_ store: Store) {}
    func watcher(_ noteChange: @escaping @Sendable () -> Void) -> (any Sendable)? { nil }
    func filesChanged() async { try? await reload() }

    /// Opens, reads and follows the store in the background.
    public func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        lifecycle.start(emit, watching: watcher) { [weak self] in await self?.filesChanged() }
        loadStore()
    }

    private func loadStore() {
        lifecycle.load { [weak self] in
            guard let self else { throw CancellationError() }
            let store = try await open()
            let changes = changes(of: store)
            try await read(store)
            // ``FilePart`` doesn't throw if the file can't be read, because it follows the file
            // anyway.
            if lifecycle.failure == nil {
                lifecycle.noteRead()
                finishLoading(store)
            }
            if let changes { follow(changes, of: store) }
            return store
        }
    }

    private func follow(_ changes: AsyncStream<Change>, of store: Store) {
        lifecycle.follow { [weak self] in
            for await change in changes { await self?.handle(change, of: store) }
        }
    }

    public func loadedStore() async throws -> Store {
        guard let loading = lifecycle.loading else { return try await open() }
        return try await loading.value
    }

    /// Checks every file now, or opens the store if opening failed before.
    public func reload() async throws {
        if lifecycle.restart() { loadStore() }
        try await sync(try await loadedStore())
    }

    /// Stops following the store.
    public func close() async { lifecycle.cancel() }
}
