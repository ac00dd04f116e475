import Automerge
import BenchSupport
import DocumentStore
import Foundation

/// Documents and a storage folder of other programs, read by this engine and by the reference
/// implementation. Without the Python package automerge, only this engine is measured.
struct ReadingSuite: Suite {
    static let name = "reading"
    static let abstract = "Documents with long and concurrent histories; a folder of 100 documents."

    private static let documentCount = 100
    private static let noiseLength = 100_000

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let trace = try EditTrace(contentsOf: options.fixture("automerge/edits.json"))
        let hasReference = AutomergeReference.isAvailable
        let histories: [(name: String, document: Document)] = [
            ("one transaction", try TraceDocument(trace, changes: .one).document),
            ("one change per edit", try TraceDocument(trace, changes: .oneAnEdit).document),
            (
                "two concurrent writers",
                try Self.concurrent(trace, writers: 2, rounds: 50, edits: 200)
            ),
            ("ten long branches", try Self.concurrent(trace, writers: 10, rounds: 4, edits: 500)),
        ]
        for (name, document) in histories {
            let file = folder.url.appending(path: "\(name).automerge")
            try document.save().write(to: file)
            let reference =
                hasReference ? try AutomergeReference(reading: [file], text: true, options) : nil
            try measure(name, file, reference, options, &report)
        }
        try measureFolder(trace, folder, hasReference: hasReference, options, &report)
    }

    /// Returns a text that writers edit concurrently, each in long bursts between merges.
    ///
    /// - Parameters:
    ///   - rounds: The number of merges of all writers.
    ///   - edits: The number of edits of each writer between two merges.
    private static func concurrent(
        _ trace: EditTrace, writers: Int, rounds: Int, edits: Int
    ) throws -> Document {
        let one = try TraceDocument(trace, changes: .one, count: 20_000)
        let others = (1..<writers).map { _ in one.document.fork() }
        let length = one.document.length(obj: one.text)
        for round in 0..<rounds {
            for (writer, document) in ([one.document] + others).enumerated() {
                for edit in 0..<edits {
                    let number = UInt64(round * 7_919 + edit * 104_729 + writer * 31)
                    try document.spliceText(
                        obj: one.text, start: number % length, delete: 1, value: "\(writer)x")
                    document.commitWith()
                }
            }
            for other in others { try one.document.merge(other: other) }
            for other in others { try other.merge(other: one.document) }
        }
        return one.document
    }

    private func measure(
        _ name: String, _ file: URL, _ reference: AutomergeReference?, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        let data = try Data(contentsOf: file)
        let read = try Stopwatch.median(runs: options.runs) {
            try TraceDocument(Document(data)).read()
        }
        report.add(
            "\(name): load and read the text, compared with automerge", read.time,
            baseline: reference?.time, limit: reference.map { _ in 0.1 })
        let memory =
            try probeApart("load:\(file.path)", options) - probeApart("bytes:\(file.path)", options)
        report.add(
            "\(name): memory of the document, compared with automerge", memory, "MB",
            baseline: reference?.memory, limit: reference.map { _ in 0.25 })
    }

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let parts = name.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, ["load", "bytes"].contains(parts[0]) else {
            throw Self.noProbe(name)
        }
        let data = try Data(contentsOf: URL(filePath: String(parts[1])))
        let document = parts[0] == "load" ? try TraceDocument(Document(data)) : nil
        let memory = Double(try ResidentMemory.current()) / 1e6
        _ = try document?.read()
        return memory
    }

    // MARK: A folder

    private func measureFolder(
        _ trace: EditTrace, _ folder: BenchFolder, hasReference: Bool, _ options: SuiteOptions,
        _ report: inout Report
    ) throws {
        let path = folder.url.appending(path: "storage").path
        let configuration = DocumentSuite.quiet
        let store = try AutomergeStore(creatingStorageFolder: path, configuration: configuration)
        let base = try TraceDocument(trace, changes: .one).document
        var files: [URL] = []
        for number in 0..<Self.documentCount {
            let document = base.fork()
            let noise = Data((0..<Self.noiseLength).map { _ in UInt8.random(in: 0...255) })
            try document.put(obj: .ROOT, key: "noise", value: .Bytes(noise))
            document.commitWith()
            let file = folder.url.appending(path: "\(number).automerge")
            try document.save().write(to: file)
            files.append(file)
            _ = try store.newWorkspace(named: "", index: document)
        }
        try store.close()
        let listed = try Stopwatch.median(runs: options.runs) {
            let store = try AutomergeStore(
                storageFolder: path, isWritable: false, configuration: configuration)
            var changeCount = 0
            store.forEachDocument { _, document in
                changeCount += (try? document.get())?.automerge.changeCount ?? 0
            }
            return changeCount
        }
        guard listed.output >= 2 * Self.documentCount else {
            throw BenchError("the folder has only \(listed.output) changes")
        }
        let reference =
            hasReference ? try AutomergeReference(reading: files, text: false, options) : nil
        report.add(
            "list a folder of 100 documents, compared with automerge", listed.time,
            baseline: reference?.time, limit: reference.map { _ in 0.3 })
    }
}
