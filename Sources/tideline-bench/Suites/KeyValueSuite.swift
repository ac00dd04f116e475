import BenchSupport
import KeyValueStore
import Replication

/// A store of three devices with a million rows of a hundred thousand keys, compared with the
/// sqlite3 program on the same files.
struct KeyValueSuite: Suite {
    static let name = "kv"
    static let abstract = "1,000,000 rows, 100,000 keys, 3 devices: open, memory, set, sync, pages."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let files = try KeyValueFiles()
        defer { files.remove() }
        try measureSets(files, options, &report)
        let package = try files.makeLargePackage()
        try measureOpening(files, package, options, &report)
        try measureMemory(files, package, options, &report)
        try measureReading(package, options, &report)
        try measureSeenRows(files, package, options, &report)
        try await measureSync(files, package, &report)
    }

    private static let openProbe = "open:"

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let path = try Self.path(ofProbe: name, Self.openProbe)
        let store = try KeyValueFiles.store(StorePackage(opening: path), nil)
        let memory = try ResidentMemory.current()
        guard store.count > 0 else { throw BenchError("keys are missing") }
        return Double(memory)
    }

    private func measureOpening(
        _ files: KeyValueFiles, _ package: StorePackage, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        let plain = try files.timeOfNewestRows(package, runs: options.runs)
        let own = try Stopwatch.median(runs: options.runs) {
            try KeyValueFiles.store(package, nil).count
        }
        report.add("open", own.time, baseline: plain, limit: 0.5)
        report.add(
            "open, compared with SQL tuned to its indexes", own.time,
            baseline: try files.timeOfNewestRowsByIndex(package, runs: options.runs))
    }

    /// Measures the memory of a process that has opened the store, and the part that the store's
    /// data uses. Opening a store of one key loads the same code into memory.
    private func measureMemory(
        _ files: KeyValueFiles, _ package: StorePackage, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        let small = try files.package("One.store")
        let writer = try KeyValueFiles.store(small, KeyValueFiles.devices[0])
        try writer.set(KeyValueFiles.value(0), forKey: KeyValueFiles.key(0))
        try writer.close()
        let live = Double(try KeyValueFiles.store(package, nil).liveByteCount) / 1e6
        let memory = try probeApart(Self.openProbe + package.path, options) / 1e6
        let one = try probeApart(Self.openProbe + small.path, options) / 1e6
        report.add("memory after opening", memory, "MB", baseline: live, limit: 2.5)
        report.add(
            "memory of the store, minus that of a store with one key", memory - one, "MB",
            baseline: live,
            limit: 1.5)
    }

    private func measureSets(
        _ files: KeyValueFiles, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let count = 100_000
        let values = (0..<count).map {
            (KeyValueFiles.key($0 * 7_919 % count), KeyValueFiles.value($0))
        }
        var setting: [Duration] = []
        let own = try Stopwatch.median(
            runs: options.runs,
            prepare: {
                files.removePackage("Sets.store")
                return try KeyValueFiles.store(files.package("Sets.store"), "anna")
            },
            work: { store in
                setting.append(
                    try ContinuousClock().measure {
                        for (key, value) in values { try store.set(value, forKey: key) }
                    })
                try store.save()
                return store
            })
        try own.output.close()
        let plain = try files.timeOfInserting(
            files.package("Sets.store"), "anna", runs: options.runs)
        report.add("100,000 sets, saved", own.time, baseline: plain, limit: 1.5)
        report.add("one set", Stopwatch.median(of: setting).microseconds / Double(count), "µs")
    }

    private func measureReading(
        _ package: StorePackage, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let store = try KeyValueFiles.store(package, nil)
        let keys = store.keys
        let gets = Stopwatch.median(runs: options.runs) {
            keys.reduce(0) { store.value(forKey: $1) == nil ? $0 : $0 + 1 }
        }
        guard gets.output == keys.count else { throw BenchError("values are missing") }
        report.add("one get, decoded", gets.time.microseconds / Double(keys.count), "µs")
        let list = Stopwatch.median(runs: options.runs) { store.entryList() }
        report.add("list of all keys", list.time)
        let timeline = try store.timeline()
        var rank = 1
        var pages: [Duration] = []
        for _ in 0..<30 {
            rank = (rank &* 48_271) % timeline.total
            guard let time = timeline.timestamp(atRank: rank) else { continue }
            let device = try DeviceID(KeyValueFiles.devices[0])
            let start = KeyValueStore.PageStart.after(.init(timestamp: time, device: device, id: 0))
            pages.append(
                try ContinuousClock().measure {
                    guard try store.rows(.init(), start, limit: 60).rows.count > 0 else {
                        throw BenchError("an empty page")
                    }
                })
        }
        report.add("60 rows of the log, anywhere", Stopwatch.median(of: pages), limit: 16)
        try measurePast(store, timeline, &report)
    }

    /// Measures finding the rows that each device had provably seen of each other device.
    private func measureSeenRows(
        _ files: KeyValueFiles, _ package: StorePackage, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        let store = try KeyValueFiles.store(package, nil)
        let seen = try Stopwatch.median(runs: options.runs) { try store.seenRows() }
        for device in seen.output.devices {
            for other in seen.output.devices where other != device {
                guard seen.output.entry(of: device, about: other).newest != nil else {
                    throw BenchError("\(device) has seen nothing of \(other)")
                }
            }
        }
        report.add(
            "the rows that each device has seen", seen.time,
            baseline: try files.timeOfReadingParents(package, runs: options.runs))
    }

    /// Measures time travel until the rows are visible: to the first state, to random states, and
    /// from row to row.
    private func measurePast(
        _ store: KeyValueStore, _ timeline: KeyValueStore.Timeline, _ report: inout Report
    ) throws {
        func show(_ instant: Timestamp) throws -> KeyValueStore.PastEntryList {
            let list = try store.entryList(at: instant)
            guard let rows = try store.rows(list, 0..<60), rows.count == 60 else {
                throw BenchError("the past has no rows")
            }
            return list
        }
        func instant(_ part: Int, of parts: Int) -> Timestamp {
            timeline.timestamp(atRank: timeline.total * part / parts) ?? .distantPast
        }
        var held: KeyValueStore.PastEntryList?
        let first = try ContinuousClock().measure { held = try show(instant(1, of: 2)) }
        report.add("show an earlier state, first", first, limit: 250)
        var times: [Duration] = []
        for part in 3..<20 {
            times.append(try ContinuousClock().measure { held = try show(instant(part, of: 20)) })
        }
        report.add(
            "show other earlier states, median", Stopwatch.median(of: times), limit: 250)
        var steps: [Duration] = []
        var now = instant(1, of: 3)
        for _ in 0..<30 {
            steps.append(
                try ContinuousClock().measure {
                    now = try store.nearestTimestamp(to: now, backwards: false) ?? now
                    held = try show(now)
                })
        }
        report.add("a step in time travel, median", Stopwatch.median(of: steps), limit: 16)
        guard held != nil else { throw BenchError("no earlier state was found") }
        let middle = instant(1, of: 2)
        let whole = try ContinuousClock().measure { _ = try store.dictionary(at: middle) }
        report.add("the dictionary at an earlier time, decoded", whole)
    }

    /// Measures the time until a row of another device is visible.
    private func measureSync(
        _ files: KeyValueFiles, _ large: StorePackage, _ report: inout Report
    ) async throws {
        let small = try files.package("Small.store")
        let writer = try KeyValueFiles.store(small, KeyValueFiles.devices[0])
        for number in 0..<1_000 {
            try writer.set(KeyValueFiles.value(number), forKey: KeyValueFiles.key(number))
        }
        try await writer.save()
        try writer.close()
        let baseline = try await latency(small)
        let own = try await latency(large)
        report.add("one row of another device, 1,000 rows", baseline.fromEnd, limit: 10)
        report.add("one row of another device, 1,000,000 rows", own.fromEnd, limit: 10)
        report.add("one row, from the start of its write, 1,000 rows", baseline.fromStart)
        report.add("one row, from the start of its write, 1,000,000 rows", own.fromStart)
        report.add(
            "one row of another device, long log compared with short", own.fromStart,
            baseline: baseline.fromStart,
            limit: 1.2)
    }

    /// The time until a store that watches the package shows a row.
    private struct Latency {
        /// The time from the end of the writer's transaction.
        let fromEnd: Duration
        /// The time from the first file-system event of the writer's transaction, including
        /// flushes to disk.
        let fromStart: Duration
    }

    private func latency(_ package: StorePackage) async throws -> Latency {
        let writer = try KeyValueFiles.store(package, KeyValueFiles.devices[0])
        let reader = try KeyValueFiles.store(package, "reader", watches: true)
        var events = reader.events().makeAsyncIterator()
        var fromEnd: [Duration] = []
        var fromStart: [Duration] = []
        for number in 0..<40 {
            try writer.set(.integer(Int64(number)), forKey: KeyValueFiles.key(number))
            let saved = try Self.save(writer)
            while let event = await events.next() {
                guard case .synced(let sync) = event.kind, sync.changes.byKey.count == 1 else {
                    continue
                }
                fromEnd.append(max(.zero, ContinuousClock.now - saved))
                if let latency = sync.latency { fromStart.append(latency) }
                break
            }
        }
        try writer.close()
        try reader.close()
        return Latency(
            fromEnd: Stopwatch.median(of: fromEnd), fromStart: Stopwatch.median(of: fromStart))
    }

    /// Saves, and returns the time at the end of the save.
    private static func save(_ store: KeyValueStore) throws -> ContinuousClock.Instant {
        try store.save()
        return .now
    }
}
