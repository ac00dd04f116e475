/// What was seen and not yet told, each thing with the instant it was first seen.
struct PendingChange {
    typealias Instant = ContinuousClock.Instant

    /// With the path of each file, where its journal is looked for.
    private(set) var files: [DeviceFile: (since: Instant, until: Instant, path: String)] = [:]
    private var others: PackageChange?

    /// Beyond this many blobs it is cheaper to list them all.
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

    /// The package went: what was seen in it before counts no longer.
    mutating func gone(at now: Instant) {
        files = [:]
        var change = PackageChange(since: others?.since ?? now)
        change.until = now
        change.isGone = true
        others = change
    }

    mutating func back(at now: Instant) {
        note(now) {
            $0.isBack = true
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

    /// What may be told now: all but the files that a writer is in the middle of changing.
    ///
    /// - Parameter isHeld: Whether a file, first seen changed at that instant, should wait.
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

    /// The earliest instant at which a file was seen that still waits.
    var oldestFile: Instant? { files.values.map(\.since).min() }
}
