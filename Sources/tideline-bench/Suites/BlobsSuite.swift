import BenchSupport
import Foundation
import Replication
import TidelineCore

/// The blobs pane with many blobs, compared with listing their folder.
struct BlobsSuite: Suite {
    static let name = "blobs"
    static let abstract =
        "100,000 blobs in the browser: a page of the list, a new blob; listing their folder."

    private static let count = 100_000

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let package = try StorePackage(creating: folder.url.appending(path: "Blobs.store").path)
        for number in 0..<Self.count {
            let path = "\(package.path)/Blobs/\(number % 50)/\(number / 50 % 20)/\(number).txt"
            if number < 1_000 {
                try FileManager.default.createDirectory(
                    at: URL(filePath: path).deletingLastPathComponent(),
                    withIntermediateDirectories: true)
            }
            try Data("\(number)".utf8).write(to: URL(filePath: path))
        }
        let (listing, entries) = try Stopwatch.median(runs: options.runs) {
            try package.blobs.entries()
        }
        guard entries.count == Self.count else { throw BenchError("\(entries.count) blobs") }
        let session = try StoreOpener(device: nil).open(package.path)
        guard let source = session.panes.first(where: { $0.id == .blobs })?.source else {
            throw BenchError("the browser has no blobs pane")
        }
        var times: [Duration] = []
        while try await total(source) < Self.count || session.status.counts[.blobs] == nil {
            try await Task.sleep(for: .milliseconds(50))
        }
        for page in 0..<100 {
            let start = ContinuousClock.now
            _ = try await source.window(WindowRequest(position: .index(page * 977), count: 60))
            times.append(.now - start)
        }
        report.add(
            "a page of 100,000 blobs", Stopwatch.median(of: times), baseline: listing, limit: 0.05)
        times = []
        for number in 0..<max(5, options.runs) {
            try await Task.sleep(for: .milliseconds(300))
            let start = ContinuousClock.now
            try Data("x".utf8).write(
                to: URL(filePath: "\(package.path)/Blobs/7/7/arrived \(number).txt"))
            while try await total(source) <= Self.count + number {
                try await Task.sleep(for: .milliseconds(1))
            }
            times.append(.now - start)
        }
        report.add(
            "one new blob, in the list", Stopwatch.median(of: times), baseline: listing, limit: 0.2)
        await session.close()
    }

    private func total(_ source: any RowSource) async throws -> Int {
        try await source.window(WindowRequest(count: 1)).total
    }
}
