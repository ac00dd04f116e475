import Replication

/// Keys for which a device's rows are not a chain. Reasons are that the device wrote in two copies
/// at once, that a merge added rows from another copy, or that the device reverted rows. For these
/// keys, the parents of each row are read from the logs.
extension KeyValueStore {
    /// Reads all rows of the given keys, on the store's queue.
    func forkGraphs(_ keys: [String], _ files: LogFiles) -> [Name: RowGraph] {
        var parts: [Name: [RowGraph.Part]] = [:]
        guard !keys.isEmpty else { return [:] }
        for (folder, head) in files.follower.logs where folder.has(.logs) {
            let readable = ReadableLog(
                device: folder.id, path: folder.path(of: .logs), lastID: head.lastID,
                leavesOutRows: head.leftOutCount > 0, longest: configuration.longestValue)
            let found = try? LogReader.read(readable) {
                try $0.graphRows(keys, through: nil, forHeads: true)
            }
            guard let found else {
                // When the log can be read, these keys are evaluated again.
                files.unjudgedKeys[folder.id, default: []].formUnion(keys.map { Name($0) })
                files.follower.reread(at: folder.id)
                continue
            }
            for (key, part) in zip(keys, found) where !part.rows.isEmpty {
                parts[key, default: []].append(part)
            }
        }
        return parts.mapValues(RowGraph.init)
    }

    /// Reads the rows of each key in an update whose rows don't form a chain.
    func forkGraphs(_ update: LogUpdate, of device: DeviceID) -> [Name: RowGraph] {
        guard let files else { return [:] }
        let isTakenOver = device.writer != device
        let unjudged = files.unjudgedKeys.removeValue(forKey: device) ?? []
        let keys = memory.withLock { memory -> [String] in
            guard isTakenOver || !update.forked.isEmpty || !memory.cache.forks.isEmpty else {
                return []
            }
            return update.rows.compactMap { row in
                memory.cache.isForked(row.key) || isTakenOver || update.forked.contains(row.key)
                    ? String(decoding: row.key, as: UTF8.self) : nil
            }
        }
        return forkGraphs(Set(keys.map { Name($0) }).union(unjudged).sorted().texts, files)
    }

    /// Evaluates each key in a batch again if its rows don't form a chain. Runs on the store's
    /// queue.
    func judgeForks(of batch: KeyRowBatch, _ files: LogFiles) {
        let keys = memory.withLock { memory in
            guard !memory.cache.forks.isEmpty else { return Set<[UInt8]>() }
            return Set(batch.rows.map { Array(batch.key(of: $0)) }).filter {
                memory.cache.isForked($0)
            }
        }
        let graphs = forkGraphs(keys.map { String(decoding: $0, as: UTF8.self) }, files)
        memory.withLock { $0.install(graphs) }
    }
}

extension LogsCache {
    /// Returns whether the rows of a key don't form a chain.
    fileprivate func isForked(_ key: [UInt8]) -> Bool {
        key.withUnsafeBufferPointer { index(ofKey: $0) }.map { forks[$0] != nil } ?? false
    }

    /// Returns a row with its device's number, or `nil` if the device has no number.
    fileprivate func knownStamp(of row: LogRow.Reference) -> RowStamp? {
        knownNumber(of: row.device).map {
            RowStamp(device: $0, timestamp: row.timestamp.microseconds)
        }
    }
}

extension Memory {
    /// Sets the heads of keys whose rows are not a chain.
    mutating func install(_ graphs: [Name: RowGraph]) {
        guard !graphs.isEmpty else { return }
        let waiting = pendingRows(of: Set(graphs.keys))
        for (key, graph) in graphs {
            guard let entry = index(ofKey: key.text) else { continue }
            var graph = graph
            if let rows = waiting[key], let part = pendingPart(rows) { graph.add(part) }
            cache.forks[entry] = graph.heads().compactMap { head in
                cache.knownStamp(of: head.reference).map { stamp in
                    LogsCache.ForkHead(
                        device: stamp.device, timestamp: stamp.timestamp, digest: head.digest,
                        side: cache.knownStamp(of: graph.restated(by: head.reference)) ?? stamp)
                }
            }
            cache.updateConflict(entry)
        }
    }
}
