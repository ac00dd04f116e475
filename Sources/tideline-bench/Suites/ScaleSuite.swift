import BenchSupport
import Foundation
import KeyValueStore
import Replication
import TestSupport

/// Costs that grow with the number of devices and of conflicts.
///
/// The measured programs are sqlite3 and the `tideline` next to this program, built in the same
/// configuration.
struct ScaleSuite: OpenedStoreSuite {
    static let name = "scale"
    static let abstract = "10 to 1,000 devices, few and many conflicts."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let files = try KeyValueFiles()
        defer { files.remove() }
        let program = try ScreenSuite.program(options)
        for hasManyConflicts in [false, true] {
            for count in [10, 100, 1_000] {
                let (package, conflicts) = try ScaleFiles(files: files)
                    .makeSpread(devices: count, hasManyConflicts: hasManyConflicts)
                let place = "\(count) devices, \(conflicts) conflicts"
                try measureCommands(
                    program, package, place, conflictLimit: count == 1_000 ? 3 : nil, options,
                    &report)
                try measureConflictList(program, package, place, options, &report)
                try await measureArrival(package, place, &report)
                files.removePackage(package.name)
            }
        }
    }

    /// Measures whole commands, compared with the command that lists all keys and values.
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
        report.add("info, \(place)", try time("info", package.path), baseline: list, limit: 1.5)
        report.add(
            "devices --seen, \(place)", try time("devices", package.path, "--seen", "--json"),
            baseline: list)
        report.add(
            "diff with itself, \(place)", try time("diff", package.path, package.path),
            baseline: list * 2)
        let small = package.path + ".small"
        let extract = try Stopwatch.median(runs: options.runs) {
            try? FileManager.default.removeItem(atPath: small)
            try Program(path: program).runAlone([
                "extract", package.path, "--prefix", "note/0/", "--output", small,
            ])
        }
        report.add("extract of the keys of one device, \(place)", extract.time, baseline: list)
        report.add(
            "conflicts, \(place)", try time("conflicts", package.path, "--json"), baseline: list,
            limit: conflictLimit)
        var loads: [Duration] = []
        for _ in 0..<options.runs {
            let start = ContinuousClock.now
            let terminal = try ScreenSuite.open(program, package, "keys")
            try terminal.wait(forText: "LIVE")
            loads.append(.now - start)
            try terminal.quit()
        }
        report.add(
            "the browser, fully loaded, \(place)", Stopwatch.median(of: loads), baseline: list,
            limit: 1.5)
        let live = Double(try KeyValueFiles.store(package, nil).liveByteCount) / 1e6
        let memory = try self.memory(of: package, options)
        report.add("memory of the opened store, \(place)", memory, "MB", baseline: live)
    }

    /// Measures the conflict list in the browser: from the program's start to the first rows, and
    /// from the end of another device's transaction to the frame without the resolved conflict.
    private func measureConflictList(
        _ program: String, _ package: StorePackage, _ place: String, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        func open() throws -> PseudoTerminal {
            let terminal = try ScreenSuite.open(program, package, "conflicts")
            try terminal.wait(forText: "by 2 on 0 of 0")
            return terminal
        }
        var starts: [Duration] = []
        for _ in 0..<options.runs {
            let start = ContinuousClock.now
            let terminal = try open()
            starts.append(.now - start)
            try terminal.quit()
        }
        report.add("first conflicts in the browser, \(place)", Stopwatch.median(of: starts))
        let terminal = try open()
        let writer = try KeyValueFiles.store(package, try package.devices()[2].id.name)
        var arrivals: [Duration] = []
        let shown = terminal.screen.lines.compactMap {
            $0.firstMatch(of: #/by 2 on (\d+) of 0/#)?.1
        }
        for number in shown.prefix(5).map(String.init) {
            try writer.set("settled", forKey: "note/0/\(number)/title")
            try writer.save()
            let saved = ContinuousClock.now
            try terminal.wait(for: "end of the conflict") { screen in
                !screen.lines.contains { $0.contains("by 2 on \(number) of 0") }
            }
            arrivals.append(.now - saved)
        }
        try writer.close()
        try terminal.quit()
        report.add(
            "another device's row that ends a conflict, on the screen, \(place)",
            Stopwatch.median(of: arrivals))
    }

    /// Measures the time until a row of one device among many is visible.
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
        report.add("one row of another device, \(place)", Stopwatch.median(of: times), limit: 15)
    }
}
