/// Changes that were detected but not reported yet, each with the time of its detection.
struct PendingChange {
    typealias Instant = ContinuousClock.Instant

    /// The changed files, each with its path, which is needed to find the file's journal.
    private(set) var files: [DeviceFile: (since: Instant, until: Instant, path: String)] = [:]
    private var others: PackageChange?

    /// The maximum number of changed blobs to record. If there are more, listing all blobs is
    /// cheaper.
    private static let blobLimit = 10_000

    var isEmpty: Bool { files.isEmpty && others == nil }

    mutating func add(_ file: DeviceFile, path: String, at now: Instant) {
        files[file] = (files[file]?.since ?? now, now, path)
    }

    mutating func add(device: DeviceID, at now: Instant) {
        note(now) { $0.devices.insert(device) }
    }

    mutating func add(blob path: String, at now: Instant) {
        note(now) {
            if $0.blobs.count < Self.blobLimit {
                $0.blobs.insert(path)
            } else {
                $0.blobs = [""]
                $0.needsRescan = true
            }
        }
    }

    mutating func rescan(at now: Instant) { note(now) { $0.needsRescan = true } }

    /// Records that the package disappeared. Earlier changes in it no longer matter.
    mutating func noteDeleted(at now: Instant) {
        files = [:]
        var change = PackageChange(since: others?.since ?? now)
        change.until = now
        change.isDeleted = true
        others = change
    }

    mutating func noteReturned(at now: Instant) {
        note(now) {
            $0.hasReturned = true
            $0.needsRescan = true
            $0.blobs = [""]
        }
    }

    private mutating func note(_ now: Instant, _ body: (inout PackageChange) -> Void) {
        var change = others ?? PackageChange(since: now)
        change.until = now
        body(&change)
        others = change
    }

    /// Returns the changes to report now: all except files in the middle of a transaction.
    ///
    /// - Parameter isHeld: Returns whether to hold back the file at `path`, whose change was first
    ///   detected at `since`.
    mutating func take(
        unless isHeld: (_ path: String, _ since: Instant) -> Bool
    ) -> PackageChange? {
        var change = others
        others = nil
        for (file, seen) in files where !isHeld(seen.path, seen.since) {
            files[file] = nil
            var grown = change ?? PackageChange(since: seen.since)
            grown.files.insert(file)
            grown.since = min(grown.since, seen.since)
            grown.until = max(grown.until, seen.until)
            change = grown
        }
        return change
    }

    /// The earliest detection time among the held files.
    var oldestFile: Instant? { files.values.map(\.since).min() }
}
