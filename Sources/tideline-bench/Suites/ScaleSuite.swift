import BenchSupport
import Foundation
import KeyValueStore
import Replication
import TestSupport

/// What grows with the number of devices and of conflicts.
///
/// Programs are the `tideline` beside this one, built the same way, and sqlite3.
struct ScaleSuite: OpenedStoreSuite {
    static let name = "scale"
    static let abstract = "10 to 1,000 devices, few and many conflicts."

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
    }

    /// Whole commands, beside the one that lists all keys and values.
    private func measureCommands(
        _ program: String, _ package: StorePackage, _ place: String, conflictLimit: Double?,
        _ options: SuiteOptions, _ report: inout Report
    ) throws {
        func time(_ arguments: String...) throws -> Duration {
            try Stopwatch.median(runs: options.runs) {
                try Program(path: program).runAlone(arguments)
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
        let memory = try self.memory(of: package, options)
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
}
