import BenchSupport
import Foundation
import Glibc
import KeyValueStore
import Replication

/// A writing process that is killed a thousand times. Acknowledged writes must be present, and no
/// transaction may be partial.
struct KillSuite: Suite {
    static let name = "kills"
    static let abstract = "1,000 SIGKILLs while writing: no acknowledged write lost."

    private static let writeProbe = "write:"
    private static let kills = 1_000

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let files = try KeyValueFiles()
        defer { files.remove() }
        let package = try files.package("Killed.store")
        var lost = 0
        var halves = 0
        var unreadable = 0
        var acknowledged: Int64 = 0
        for round in 0..<Self.kills {
            // Kill the writer usually during writes, sometimes during start-up.
            let isEarly = round % 5 == 0
            let wait = UInt32((round * 7_919) % (isEarly ? 60_000 : 12_000))
            acknowledged = max(
                acknowledged,
                try Self.killed(
                    writing: package, after: wait, isEarly: isEarly, options))
            let store = try KeyValueFiles.store(package, nil)
            let first = Self.number(store["first"])
            // A writer killed before its first transaction leaves an empty file.
            if acknowledged > 0, store.devices.contains(where: { $0.state != .ok }) {
                unreadable += 1
            }
            if first < acknowledged { lost += 1 }
            if first != Self.number(store["second"]) || store.rowCount != Int(first) * 2 {
                halves += 1
            }
        }
        report.add("kills", Double(Self.kills), "")
        report.add("writes acknowledged", Double(acknowledged), "")
        report.add("kills that lost an acknowledged write", Double(lost), "", limit: 0)
        report.add("kills that left a partial transaction", Double(halves), "", limit: 0)
        report.add("kills that left an incomplete log", Double(unreadable), "", limit: 0)
    }

    private static func number(_ value: PropertyList?) -> Int64 {
        if case .integer(let number) = value { number } else { 0 }
    }

    /// Starts a writer, kills it, and returns the last number that it acknowledged.
    ///
    /// - Parameter isEarly: Whether to time the kill from the process's start instead of its first
    ///   write.
    private static func killed(
        writing package: StorePackage, after microseconds: UInt32, isEarly: Bool,
        _ options: SuiteOptions
    ) throws -> Int64 {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["probe", name, writeProbe + package.path] + options.arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var data = Data()
        if !isEarly { data = output.fileHandleForReading.availableData }
        usleep(microseconds)
        kill(process.processIdentifier, SIGKILL)
        data += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // An incomplete last line was cut off by the kill.
        let lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).dropLast()
        return lines.last.flatMap { Int64($0) } ?? 0
    }

    /// Writes transactions of two keys until the process is killed. Prints the number of each
    /// transaction after saving it.
    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let path = try Self.path(ofProbe: name, Self.writeProbe)
        let store = try KeyValueFiles.store(StorePackage(opening: path), "writer")
        var number = Self.number(store["first"])
        while true {
            number += 1
            let next = PropertyList.integer(number)
            try store.transaction { transaction in
                try transaction.set(next, forKey: "first")
                try transaction.set(next, forKey: "second")
            }
            try await store.save()
            let line = Array("\(number)\n".utf8)
            guard write(1, line, line.count) == line.count else {
                throw BenchError("the reader has closed the pipe")
            }
        }
    }
}
