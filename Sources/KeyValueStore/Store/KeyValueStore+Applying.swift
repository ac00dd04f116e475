import Replication

extension KeyValueStore {
    /// Applies new rows of a log to the dictionary and posts events.
    ///
    /// - Parameter since: The time of the file-system event that triggered the reading.
    func apply(
        _ update: LogUpdate, of device: DeviceID, latency since: ContinuousClock.Instant?
    ) {
        let answer = ask(update, device)
        let graphs = forkGraphs(update, of: device)
        if device == self.device, let last = update.head.last {
            configuration.clock.observe(Timestamp(microseconds: last))
        }
        // After a comparison with the known rows, only the new rows are reported.
        var compared: [(id: Int64, timestamp: Int64)] = []
        var changed: [UInt32] = []
        var touched: Set<UInt32> = []
        var before: Set<UInt32> = []
        var absent: Set<UInt32> = []
        // Releases the lock every few thousand rows, so that other threads don't wait long even if
        // a new device arrives with a million rows.
        for start in stride(from: 0, to: max(update.rows.count, 1), by: 4_096) {
            memory.withLock { memory in
                guard memory.phase == .loaded, let number = memory.cache.number(of: device) else {
                    return
                }
                let writers = memory.cache.numbers(of: update.head.writers)
                for row in update.rows[start..<min(start + 4_096, update.rows.count)] {
                    guard let new = memory.newestRow(row, of: number, update.head, writers) else {
                        continue
                    }
                    if update.isComparison {
                        if memory.has(row, of: number) { continue }
                        compared.append((row.id, row.timestamp))
                    }
                    let entry = new.key.withUnsafeBufferPointer {
                        memory.cache.makeIndex(ofKey: $0)
                    }
                    if memory.cache.conflicts.contains(entry) { before.insert(entry) }
                    if !memory.cache.isLive(entry) { absent.insert(entry) }
                    let outcome = memory.cache.apply(new, of: number)
                    touched.insert(entry)
                    if outcome.winnerChanged { changed.append(entry) }
                }
                if start + 4_096 >= update.rows.count {
                    var update = update
                    for row in compared.sorted(by: { $0.id < $1.id }) {
                        update.reported.note(row.id, row.timestamp)
                    }
                    memory.install(graphs)
                    report(update, device, since, changed, new: absent, touched, before, memory)
                }
            }
        }
        if let answer, !answer.isEmpty { _ = try? set(contentsOf: answer) }
    }

    /// Passes the rows to the configured hook before they are applied.
    private func ask(_ update: LogUpdate, _ device: DeviceID) -> [Name: PropertyList?]? {
        guard let willSync = configuration.willSync, !update.wholeRows.isEmpty else { return nil }
        return willSync(PendingSync(device: device, rows: update.wholeRows))
    }

    private func report(
        _ update: LogUpdate, _ device: DeviceID, _ since: ContinuousClock.Instant?,
        _ changed: [UInt32], new: Set<UInt32>, _ touched: Set<UInt32>, _ before: Set<UInt32>,
        _ memory: borrowing Memory
    ) {
        guard hub.isHeard, update.count > 0 || !touched.isEmpty else { return }
        let keys = touched.map { memory.cache.key($0) }
        post(
            .synced(
                Sync(
                    device: device, rows: update.count,
                    newest: update.reported.newest.map { id, timestamp in
                        RowPosition(
                            timestamp: Timestamp(microseconds: timestamp), device: device, id: id)
                    },
                    oldest: update.reported.oldest.map(Timestamp.init(microseconds:)),
                    keys: keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
                    changes: memory.changes(changed, new: new), latency: since.map { .now - $0 })),
            in: memory)
        for entry in touched.sorted() {
            let isConflict = memory.cache.conflicts.contains(entry)
            if isConflict, !before.contains(entry) {
                post(
                    .conflict(
                        key: memory.cache.key(entry), devices: memory.sides(of: entry), by: device),
                    in: memory)
            } else if !isConflict, before.contains(entry) {
                post(.resolved(key: memory.cache.key(entry)), in: memory)
            }
        }
    }
}

extension Memory {
    /// Converts a row from a file. Replaces the log's own device numbers with the cache's numbers.
    func newestRow(
        _ row: LogUpdate.Row, of device: DeviceNumber, _ head: KeyValueHead,
        _ writers: [Int64: DeviceNumber]
    ) -> NewestRow? {
        let causalParents: CausalParents
        switch head.format {
        case .tideline2:
            causalParents = .vector(
                row.causes.compactMap { cause in
                    guard let writer = writers[cause.writer], writer != device else { return nil }
                    return RowStamp(device: writer, timestamp: cause.timestamp)
                })
        case .parstore1:
            causalParents = .parents(row.causes.map(\.timestamp))
        }
        return NewestRow(
            key: row.key, timestamp: row.timestamp, value: row.value, causalParents: causalParents)
    }

    /// Returns whether the device's newest row of the key is already known.
    func has(_ row: LogUpdate.Row, of device: DeviceNumber) -> Bool {
        guard let entry = row.key.withUnsafeBufferPointer({ cache.index(ofKey: $0) }),
            let known = cache.row(of: device, in: entry)
        else { return false }
        return cache.rows[Int(known)].timestamp >= row.timestamp
    }
}
