import Automerge
import BenchSupport
import DocumentStore
import Foundation
import Replication

/// A thousand documents in a package, and one document with a long history.
struct DocumentSuite: Suite {
    static let name = "documents"
    static let abstract = """
        1,000 documents in a package: list, hold, sync; one of 100,000 changes: open, combine, receive.
        """

    private static let count = 1_000
    private static let changes = 100_000

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let many = try Self.package("Many.store", in: folder)
        try Self.fill(many)
        try listing(many, options, &report)
        try opening(folder, options, &report)
        try await takingIn(folder, &report)
        try await DocumentSyncMeasurement(package: many, folder: folder, count: Self.count)
            .run(options, into: &report)
        let empty = try probeApart("memory:0:\(many.path)", options)
        let listed = try probeApart("memory:1:\(many.path)", options)
        let held = try probeApart("memory:2:\(many.path)", options)
        report.add("memory of 1,000 listed documents", listed - empty, "MB")
        report.add("memory of 1,000 idle open documents", held - listed, "MB")
    }

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let parts = name.split(separator: ":", maxSplits: 2)
        guard parts.count == 3, parts[0] == "memory", let step = Int(parts[1]) else {
            throw Self.noProbe(name)
        }
        var held: [AutomergeStore.Document] = []
        var store: AutomergeStore?
        if step > 0 {
            store = try AutomergeStore(package: String(parts[2]), configuration: Self.quiet)
        }
        for document in step > 1 ? store?.documentSummaries() ?? [] : [] {
            if let open = try store?.openDocument(document.id) { held.append(open) }
        }
        let memory = Double(try ResidentMemory.current()) / 1e6
        guard held.count == (step > 1 ? Self.count : 0) else {
            throw BenchError("\(held.count) documents are open")
        }
        return memory
    }

    // MARK: Files

    static var quiet: AutomergeStore.Configuration {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        return configuration
    }

    private static func package(
        _ name: String, in folder: BenchFolder
    ) throws -> StorePackage {
        try StorePackage(creating: folder.url.appending(path: name).path)
    }

    /// Creates documents with a few keys in ten workspaces, each with a snapshot and two deltas.
    private static func fill(_ package: StorePackage) throws {
        let store = try AutomergeStore(package, device: DeviceID("bench"), configuration: quiet)
        for workspace in 0..<10 {
            // An index without changes would not be synchronized.
            let index = Automerge.Document()
            try index.put(obj: .ROOT, key: "title", value: .String("Workspace \(workspace)"))
            let made = try store.newWorkspace(named: "Workspace \(workspace)", index: index)
            for _ in 1..<(count / 10) {
                let content = Automerge.Document()
                for key in 0..<50 {
                    try content.put(obj: .ROOT, key: "key \(key)", value: .Int(Int64(key * 977)))
                }
                let document = try made.newDocument(content: content)
                for number in 0..<2 {
                    try document.automerge.put(
                        obj: .ROOT, key: "edited", value: .Int(Int64(number)))
                    try document.save()
                }
            }
        }
        try store.close()
    }

    // MARK: Measurements

    private func listing(
        _ package: StorePackage, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let listed = try Stopwatch.median(runs: max(options.runs, 3)) {
            let store = try AutomergeStore(package, configuration: Self.quiet)
            guard store.documentSummaries().count == Self.count,
                store.workspaceSummaries.count == 10
            else { throw BenchError("the list is incomplete") }
            guard store.openDocumentCount == 0 else {
                throw BenchError("documents are open that were not requested")
            }
        }
        report.add("open and list 1,000 documents", listed.time, limit: 20)
    }

    private func opening(
        _ folder: BenchFolder, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let package = try Self.package("Long.store", in: folder)
        let store = try AutomergeStore(
            package, device: DeviceID("bench"), configuration: Self.quiet)
        let content = Automerge.Document()
        let text = try content.putObject(obj: .ROOT, key: "text", ty: .Text)
        for number in 0..<Self.changes {
            try content.spliceText(
                obj: text, start: UInt64(number), delete: 0, value: number % 6 == 5 ? " " : "a")
            content.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        }
        let id = try store.newWorkspace(named: "Long", index: content).id
        try store.close()
        let bytes = content.save()
        var (plain, opened, combined): ([Duration], [Duration], [Duration]) = ([], [], [])
        // Each run adds a change, so that there is something to compact.
        for wanted in content.changeCount..<content.changeCount + max(options.runs, 3) {
            plain.append(
                try ContinuousClock().measure {
                    guard try Automerge.Document(bytes).heads() == content.heads() else {
                        throw BenchError("the document is incomplete")
                    }
                })
            opened.append(
                try ContinuousClock().measure {
                    let store = try AutomergeStore(package, configuration: Self.quiet)
                    guard let document = try store.openDocument(id),
                        document.automerge.changeCount == wanted
                    else { throw BenchError("the document is incomplete") }
                })
            let writer = try AutomergeStore(
                package, device: DeviceID("bench"), configuration: Self.quiet)
            guard let document = try writer.openDocument(id) else {
                throw BenchError("the document is missing")
            }
            try document.automerge.put(obj: .ROOT, key: "edited", value: .Int(Int64(wanted)))
            try document.save()
            combined.append(
                try ContinuousClock().measure {
                    guard try writer.compact(id) else { throw BenchError("nothing to combine") }
                })
            try writer.close()
        }
        report.add(
            "open 100,000 changes, compared with the engine's load", Stopwatch.median(of: opened),
            baseline: Stopwatch.median(of: plain), limit: 1.2)
        report.add("combine 100,000 changes", Stopwatch.median(of: combined))
    }

    /// Measures the time from a save to the event that an open document has applied the changes.
    /// The save simulates another process.
    private func takingIn(_ folder: BenchFolder, _ report: inout Report) async throws {
        let package = try Self.package("Live.store", in: folder)
        let anna = try AutomergeStore(
            package, device: DeviceID("anna"), configuration: Self.quiet)
        let document = try anna.newWorkspace(named: "Live").index
        for key in 0..<200 {
            try document.automerge.put(obj: .ROOT, key: "key \(key)", value: .String("some value"))
        }
        try anna.save()
        let ben = try AutomergeStore(package, device: DeviceID("ben"))
        guard let copy = try ben.openDocument(document.id) else {
            throw BenchError("the document is missing")
        }
        let events = ben.events()
        var times: [Duration] = []
        var iterator = events.makeAsyncIterator()
        for number in 0..<50 {
            try document.automerge.put(obj: .ROOT, key: "live", value: .Int(Int64(number)))
            let start = ContinuousClock.now
            try anna.save()
            let saved = ContinuousClock.now
            while let event = await iterator.next() {
                if case .documentChanged = event { break }
            }
            // The file's change can be detected before the save returns.
            times.append(min(ContinuousClock.now - saved, ContinuousClock.now - start))
            guard copy.automerge.heads() == document.automerge.heads() else {
                throw BenchError("the edit did not arrive")
            }
        }
        report.add(
            "a foreign delta, from its save to its event", Stopwatch.median(of: times), limit: 10)
    }
}
