import Dispatch
import Replication
import Synchronization

extension KeyValueStore {
    /// Reads all logs, or reads them anew. Waits for it. A store that was closed is opened again.
    ///
    /// A device's log that cannot be read does not keep the others from being read; `devices` says
    /// what is wrong with it, and what was known of it before stays. Changes that are not saved yet
    /// stay.
    ///
    /// - Throws: `ReplicationError` if the package or this device's folder in it is not what it
    ///   should be; ``KeyValueError``: `.insideTransaction`, `.notLoaded` if it was closed meanwhile.
    /// - Complexity: For `tideline-2` O(*n*) in the number of keys of each log, whatever their
    ///   history; for PARStore 1 in the number of rows.
    public func load() throws {
        let closing = closing
        guard let files else { return reopen(after: closing) }
        try files.onQueue {
            reopen(after: closing)
            try loadOnQueue(savesFirst: true)
        }
    }

    /// Reads all logs, or reads them anew. A store that was closed is opened again.
    ///
    /// - Throws: As the form that waits, and `CancellationError` for a task that is cancelled already.
    /// - Complexity: As the form that waits.
    public func load() async throws {
        let closing = closing
        // A task that is cancelled before the store is closed does not open it again.
        try Task.checkCancellation()
        try await onQueue { store in
            store.reopen(after: closing)
            try store.loadOnQueue(savesFirst: true)
        }
    }

    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (KeyValueStore) throws -> Result
    ) async throws -> Result where Result: Sendable {
        guard let files else { return try body(self) }
        return try await files.follower.onQueue { try body(self) }
    }

    /// - Parameter savesFirst: Whether what is not on disk yet is written before.
    func loadOnQueue(savesFirst: Bool) throws {
        guard let files else { return }
        guard memory.withLock({ $0.phase != .closed }) else {
            throw KeyValueError(.notLoaded, "the store is closed")
        }
        // What cannot be written now is kept in memory, and tried again.
        if savesFirst, isLoaded { try? saveOnQueue() }
        try files.follower.load()
    }

    /// The form that this device's log has or would get.
    private func ownFormat(_ files: LogFiles) -> LogFormat {
        files.ownHead?.format ?? configuration.format
            ?? (files.hasParstore ? .parstore1 : .tideline2)
    }

    /// Takes in what all logs say.
    ///
    /// - Parameter kept: Devices whose logs cannot be read now, and were before.
    func install(
        _ loader: consuming StoreLoader, keeping kept: Set<DeviceID>, _ files: LogFiles
    ) {
        files.names = files.package.deviceNames()
        (files.pastProblems, files.unjudgedKeys) = ([:], [:])
        // What takes rows back and is not written yet is in no log's table.
        let waiting = memory.withLock { memory in
            let pending = memory.pending.all
            return pending.rows.filter { !$0.takesBack.isEmpty }
                .map { String(decoding: pending.key(of: $0), as: UTF8.self) }
        }
        // The rows of keys that a device has written in several places.
        let forks = forkGraphs(loader.forked.map { loader.cache.key($0) } + waiting, files)
        let format = ownFormat(files)
        var fresh: LogsCache? = loader.cache
        memory.withLock { memory in
            guard var cache = fresh.take() else { return }
            let left = cache.keep(
                kept.sorted().compactMap { cache.knownNumber(of: $0) }, of: memory.cache)
            cache.keepSoundValues(of: memory.cache)
            // What is missing of them is found when all of their rows are read again.
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
    /// Which values of a device cannot be read, of those that win.
    func problem(ofValuesOf device: DeviceID) -> String? {
        let broken = cache.brokenValues(of: device)
        guard let first = broken.first else { return nil }
        let others = broken.count > 1 ? ", nor those of \(broken.count - 1) other keys" : ""
        return "the value of \(cache.key(first).quoted) cannot be read\(others): "
            + "it is not a property list"
    }

    /// Enters rows of this device's that the cache does not have as they are: it was made from the
    /// logs, or they got other timestamps.
    ///
    /// - Returns: The entries whose winners they are.
    mutating func reapply(_ batch: RowBatch) -> Set<UInt32> {
        guard let own else { return [] }
        var entries: Set<UInt32> = []
        for row in batch.rows {
            let knowledge: Knowledge =
                ownIsParstore
                ? .parents(row.parentTimestamp.map { [$0] } ?? [])
                : .vector(Array(batch.known(of: row)))
            let outcome = cache.apply(
                NewestRow(
                    key: Array(batch.key(of: row)), timestamp: row.timestamp,
                    value: LoadedValue(batch.value(of: row).map(Array.init)),
                    knowledge: knowledge),
                of: own)
            if outcome.winnerChanged { entries.insert(outcome.entry) }
        }
        return entries
    }
}
