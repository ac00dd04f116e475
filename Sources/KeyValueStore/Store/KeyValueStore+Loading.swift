package import Replication

extension KeyValueStore {
    /// Reads all logs, for the first time or again, and waits until they are read. Reopens a closed
    /// store.
    ///
    /// A device's log that can't be read doesn't affect the others. `devices` describes its
    /// problem, and its known rows stay. Unsaved changes stay as well.
    ///
    /// - Throws: `ReplicationError` if the package or this device's folder in it is invalid;
    ///   ``KeyValueError``: `.insideTransaction`, `.notLoaded` if the store is closed during the
    ///   call.
    /// - Complexity: For `tideline-2`, O(*n*) in the number of keys of each log, regardless of
    ///   their history; for PARStore 1, in the number of rows.
    public func load() throws {
        let closing = closing
        guard let files else { return reopen(after: closing) }
        try files.onQueue {
            reopen(after: closing)
            try loadOnQueue(savesFirst: true)
        }
    }

    /// Opens a package and reads its logs. Later changes aren't followed.
    ///
    /// - Throws: As ``load()``.
    package static func loaded(
        _ package: StorePackage, device: DeviceID? = nil
    ) throws -> KeyValueStore {
        var configuration = Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(package: package, device: device, configuration: configuration)
        try store.load()
        return store
    }

    /// Reads all logs, for the first time or again. Reopens a closed store.
    ///
    /// - Throws: As the synchronous form, and `CancellationError` for a canceled task.
    /// - Complexity: As the synchronous form.
    public func load() async throws {
        let closing = closing
        // A task that is canceled before the store is closed doesn't reopen it.
        try Task.checkCancellation()
        try await onQueue { store in
            store.reopen(after: closing)
            try store.loadOnQueue(savesFirst: true)
        }
    }

    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (KeyValueStore) throws -> Result
    ) async throws -> Result {
        guard let files else { return try body(self) }
        return try await files.follower.onQueue { try body(self) }
    }

    /// Reads all logs on the store's queue.
    ///
    /// - Parameter savesFirst: Whether to save unsaved changes first.
    func loadOnQueue(savesFirst: Bool) throws {
        guard let files else { return }
        guard memory.withLock({ $0.phase != .closed }) else {
            throw KeyValueError(.notLoaded, "the store is closed")
        }
        // Changes that can't be written now stay in memory and are retried.
        if savesFirst, isLoaded { try? saveOnQueue() }
        try files.follower.load()
    }

    /// Returns the format that this device's log has or would get.
    private func ownFormat(_ files: LogFiles) -> LogFormat {
        files.ownHead?.format ?? configuration.format
            ?? (files.hasParstore ? .parstore1 : .tideline2)
    }

    /// Replaces the rows in memory with those of all logs.
    ///
    /// - Parameter kept: Devices whose logs can't be read now, but could before.
    func install(
        _ loader: consuming StoreLoader, keeping kept: Set<DeviceID>, _ files: LogFiles
    ) {
        files.names = files.package.deviceNames()
        (files.pastProblems, files.unjudgedKeys) = ([:], [:])
        // Pending rows that revert others aren't recorded in a log's table yet.
        let waiting = memory.withLock { memory in
            let pending = memory.pending.all
            return pending.rows.filter { !$0.reverts.isEmpty }
                .map { String(decoding: pending.key(of: $0), as: UTF8.self) }
        }
        // The rows of keys for which a device's rows are not a chain or are in several logs.
        let forks = forkGraphs(loader.forked.map { loader.cache.key($0) } + waiting, files)
        let format = ownFormat(files)
        var fresh: LogsCache? = loader.cache
        memory.withLock { memory in
            guard var cache = fresh.take() else { return }
            let left = cache.keep(
                kept.sorted().compactMap { cache.knownNumber(of: $0) }, of: memory.cache)
            cache.keepSoundValues(of: memory.cache)
            // The rows that were left out are found when all rows of these devices are read again.
            for device in left { files.follower.forget(cache.devices[Int(device)]) }
            memory.own = device.flatMap { cache.number(of: $0) }
            memory.ownIsParstore = format == .parstore1
            files.follower.log.form.format = format
            memory.cache = cache
            memory.generation += 1
            memory.phase = .loaded
            _ = memory.reapply(memory.pending.all)
            memory.install(forks)
            memory.devices = files.follower.statuses.map { complete($0, memory, files) }
            if let own = memory.devices.first(where: \.isOwn) { noteOwn(own, &memory, files) }
            memory.totalRows = memory.devices.reduce(0) { $0 + $1.rows }
            if let own = memory.own {
                configuration.clock.observe(
                    Timestamp(microseconds: memory.cache.newest[Int(own)]))
            }
            post(
                .loaded(
                    devices: memory.devices.count, keys: memory.cache.liveCount,
                    rows: memory.totalRows), in: memory)
        }
    }
}

extension Memory {
    /// Describes the winning values of a device that can't be read; `nil` if there are none.
    func problem(ofValuesOf device: DeviceID) -> String? {
        let broken = cache.brokenValues(of: device)
        guard let first = broken.first else { return nil }
        let key = cache.key(first).quoted
        return broken.count == 1
            ? "the value of \(key) can't be read: it is not a property list"
            : "the value of \(key) and the values of \(broken.count - 1) other keys can't be read: "
                + "they are not property lists"
    }

    /// Adds rows of this device that the cache lacks, because the cache was created from the logs
    /// or because the rows got other timestamps.
    ///
    /// - Returns: The entries that these rows win.
    mutating func reapply(_ batch: KeyRowBatch) -> Set<UInt32> {
        guard let own else { return [] }
        var entries: Set<UInt32> = []
        for row in batch.rows {
            let causalParents: CausalParents =
                ownIsParstore
                ? .parents(row.parentTimestamp.map { [$0] } ?? [])
                : .vector(Array(batch.known(of: row)))
            let outcome = cache.apply(
                NewestRow(
                    key: Array(batch.key(of: row)), timestamp: row.timestamp,
                    value: LoadedValue(batch.value(of: row).map(Array.init)),
                    causalParents: causalParents),
                of: own)
            if outcome.winnerChanged { entries.insert(outcome.entry) }
        }
        return entries
    }
}
