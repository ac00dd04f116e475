import BenchSupport
import Foundation
import Glibc
import KeyValueStore
import Replication
import TestSupport

/// What grows with the number of devices, of rows, and of conflicts.
///
/// Programs are the `tideline` beside this one, built the same way, and sqlite3.
struct ScaleSuite: Suite {
    static let name = "scale"
    static let abstract = "10 to 1,000 devices, 100,000 to 10,000,000 rows, few and many conflicts."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let files = try KeyValueFiles()
        defer { files.remove() }
        let program = try ScreenSuite.program()
        for hasManyConflicts in [false, true] {
            for count in [10, 100, 1_000] {
                let (package, conflicts) = try ScaleFiles(files: files)
                    .makeSpread(devices: count, hasManyConflicts: hasManyConflicts)
                let place = "\(count) devices, \(conflicts) conflicts"
                try measureCommands(
                    program, package, place, conflictLimit: count == 1_000 ? 3 : nil, options,
                    &report)
                try await measureArrival(package, place, &report)
                files.removePackage(package.name)
            }
        }
        try measureOpening(files, options, &report)
    }

    private static let openProbe = "open:"

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        guard name.hasPrefix(Self.openProbe) else {
            throw BenchError("the suite \(Self.name) has no probe \(name)")
        }
        let path = String(name.dropFirst(Self.openProbe.count))
        let before = try ResidentMemory.current()
        let store = try KeyValueFiles.store(StorePackage(opening: path), nil)
        return try withExtendedLifetime(store) {
            Double(try ResidentMemory.current() - before)
        }
    }

    /// Whole commands, beside the one that lists all keys and values.
    private func measureCommands(
        _ program: String, _ package: StorePackage, _ place: String, conflictLimit: Double?,
        _ options: SuiteOptions, _ report: inout Report
    ) throws {
        func time(_ arguments: String...) throws -> Duration {
            try Stopwatch.median(runs: options.runs) {
                try Program(path: program).run(arguments)
            }.time
        }
        let list = try time("kv", "list", package.path, "--json")
        report.add("kv list, \(place)", list)
        report.add("info, \(place)", try time("info", package.path), beside: list, limit: 1.5)
        report.add(
            "conflicts, \(place)", try time("conflicts", package.path, "--json"), beside: list,
            limit: conflictLimit)
        var loads: [Duration] = []
        for _ in 0..<options.runs {
            let start = ContinuousClock.now
            let terminal = try ScreenSuite.open(program, package, "keys")
            try terminal.wait(forText: "LIVE")
            loads.append(.now - start)
            terminal.type("q")
            _ = try terminal.end()
        }
        report.add(
            "the browser, all there, \(place)", Stopwatch.median(of: loads), beside: list,
            limit: 1.5)
        let live = Double(try KeyValueFiles.store(package, nil).liveByteCount) / 1e6
        let memory = try probeApart(Self.openProbe + package.path, options) / 1e6
        report.add("memory of the opened store, \(place)", memory, "MB", beside: live)
    }

    /// One row of one device among many, from the event to the value being visible.
    private func measureArrival(
        _ package: StorePackage, _ place: String, _ report: inout Report
    ) async throws {
        let device = try package.devices()[0].id
        let writer = try KeyValueFiles.store(package, device.name)
        let reader = try KeyValueFiles.store(package, "reader", watches: true)
        var events = reader.events().makeAsyncIterator()
        var times: [Duration] = []
        for number in 0..<40 {
            try writer.set(.integer(Int64(number)), forKey: "news")
            try await writer.save()
            while let event = await events.next() {
                guard case .synced(let sync) = event.kind, let latency = sync.latency else {
                    continue
                }
                times.append(latency)
                break
            }
        }
        try writer.close()
        try reader.close()
        report.add("one foreign row, \(place)", Stopwatch.median(of: times), limit: 15)
    }

    private func measureOpening(
        _ files: KeyValueFiles, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        var million: Duration?
        for count in [100_000, 1_000_000, 10_000_000] {
            let package = try files.makeLargePackage(rows: count)
            // What is still being written to disk would be measured along.
            Glibc.sync()
            let live = Double(try KeyValueFiles.store(package, nil).liveByteCount) / 1e6
            let own = try Stopwatch.median(runs: options.runs) {
                try KeyValueFiles.store(package, nil).count
            }
            let isLimited = count > 1_000_000
            report.add(
                "open \(count) rows", own.time, beside: million, limit: isLimited ? 1.3 : nil)
            if count == 1_000_000 { million = own.time }
            let memory = try probeApart(Self.openProbe + package.path, options) / 1e6
            report.add("memory of \(count) rows", memory, "MB", beside: live)
            files.removePackage(package.name)
        }
        let package = try files.makeLargePackage(format: .parstore1)
        Glibc.sync()
        let plain = try files.timeOfNewestRows(package, .parstore1, runs: options.runs)
        let own = try Stopwatch.median(runs: options.runs) {
            try KeyValueFiles.store(package, nil).count
        }
        report.add("open 1000000 rows of PARStore 1", own.time, beside: plain, limit: 1)
    }
}
