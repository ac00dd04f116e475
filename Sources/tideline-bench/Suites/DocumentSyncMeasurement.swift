import Automerge
import BenchSupport
import DocumentStore
import DocumentSync
import Foundation
import Replication

/// The first synchronization of a store of many documents with an empty store, over a Unix-domain
/// socket, compared with copying the same bytes.
struct DocumentSyncMeasurement {
    let package: StorePackage
    let folder: BenchFolder
    let count: Int

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        var (synced, copied): ([Duration], [Duration]) = ([], [])
        for run in 0..<options.runs {
            copied.append(try copy(run))
            synced.append(try await synchronize(run))
        }
        report.add(
            "first sync of \(count) documents over a socket, compared with copying the file",
            Stopwatch.median(of: synced), baseline: Stopwatch.median(of: copied))
    }

    /// Copies the documents' file and flushes it to disk.
    private func copy(_ run: Int) throws -> Duration {
        let file = try package.device(DeviceID("bench")).path(of: .documents)
        let target = folder.url.appending(path: "copy-\(run)").path
        return try ContinuousClock().measure {
            let data = try Data(contentsOf: URL(filePath: file))
            guard FileManager.default.createFile(atPath: target, contents: data),
                let handle = FileHandle(forWritingAtPath: target)
            else { throw BenchError("\(target) can't be written") }
            try handle.synchronize()
            try handle.close()
        }
    }

    /// Measures the time from connecting until each side has confirmed that it has every document
    /// on disk.
    private func synchronize(_ run: Int) async throws -> Duration {
        let source = try AutomergeStore(package, configuration: DocumentSuite.quiet)
        let path = folder.url.appending(path: "Copy-\(run).store").path
        let target = try AutomergeStore(
            StorePackage(creating: path), device: DeviceID("copy"),
            configuration: DocumentSuite.quiet)
        let address = StreamAddress.unix(path: folder.url.appending(path: "socket-\(run)").path)
        let listener = try StreamListener(at: address)
        let server = DocumentExchange(of: StoreRepository(target), policy: .everything)
        let client = DocumentExchange(of: StoreRepository(source), policy: .everything)
        let serving = Task { await listener.run(server) }
        let start = ContinuousClock.now
        let running = Task { try? await SyncClient(client, to: StreamConnector(address)).run() }
        while await min(server.inSyncCount, client.inSyncCount) < count {
            // Checking the status slows the exchanges down.
            try await Task.sleep(for: .milliseconds(20))
        }
        let time = ContinuousClock.now - start
        guard target.documentSummaries().count == count else {
            throw BenchError("\(target.documentSummaries().count) documents have arrived")
        }
        running.cancel()
        await client.stop()
        await server.stop()
        listener.close()
        _ = await (running.value, serving.value)
        try target.close()
        try source.close()
        return time
    }
}

extension DocumentExchange {
    /// The number of documents that this side and its peer have in sync.
    fileprivate var inSyncCount: Int {
        status.first?.documents.values.count { $0.standing == .inSync } ?? 0
    }
}
