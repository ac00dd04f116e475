import Automerge
import BenchSupport
import Foundation

/// The published editing trace of a paper as one text, compared with the Python package loro
/// (implemented in Rust); a text of a million characters; many forks.
struct AutomergeSuite: Suite {
    static let name = "automerge"
    static let abstract = "259,778 edits of a text: apply, save, load, memory; a long text; forks."

    /// The reference implementation's memory in megabytes after the work that this suite measures.
    private static let referenceMemory = 112.0

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let trace = try EditTrace(contentsOf: options.fixture("automerge/edits.json"))
        let plain = try LoroBaseline.measure(options)
        report.add("loro: apply", plain)
        try measureOneTransaction(trace, plain, options, &report)
        try measureManyChanges(trace, plain, options, &report)
        try measureLongText(options, &report)
        try measureForks(trace, options, &report)
        report.add(
            "memory after one transaction", try probeApart("memory", options), "MB",
            limit: Self.referenceMemory)
        report.add(
            "memory after loading", try memoryOfLoading(trace, options), "MB",
            limit: Self.referenceMemory)
    }

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let written: TraceDocument
        switch name {
        case "memory":
            let trace = try EditTrace(contentsOf: options.fixture("automerge/edits.json"))
            written = try TraceDocument(trace, changes: .one)
        default:
            written = try TraceDocument(
                file: URL(filePath: Self.path(ofProbe: name, Self.loadProbe)))
        }
        let memory = Double(try ResidentMemory.current()) / 1e6
        try written.check(length: nil)
        return memory
    }

    private static let loadProbe = "load:"

    /// Returns the memory of a process that has only loaded the document.
    private func memoryOfLoading(_ trace: EditTrace, _ options: SuiteOptions) throws -> Double {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "tideline-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try TraceDocument(trace, changes: .one).document.save().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try probeApart(Self.loadProbe + file.path, options)
    }

    // MARK: The trace

    private func measureOneTransaction(
        _ trace: EditTrace, _ plain: Duration, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let applied = try Stopwatch.median(runs: options.runs) {
            try TraceDocument(trace, changes: .one)
        }
        try applied.output.check(length: trace.finalLength)
        report.add("one transaction: apply", applied.time, baseline: plain, limit: 1.0)
        let saved = try Stopwatch.median(
            runs: options.runs, prepare: { try TraceDocument(trace, changes: .one).document },
            work: { $0.save() })
        report.add("one transaction: save", saved.time, baseline: plain, limit: 0.05)
        report.add(
            "one transaction: saved", Double(saved.output.count), "bytes", limit: 130_000)
        try measureLoad("one transaction", saved.output, trace, plain, options, 0.6, &report)
    }

    private func measureManyChanges(
        _ trace: EditTrace, _ plain: Duration, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let applied = try Stopwatch.median(runs: options.runs) {
            try TraceDocument(trace, changes: .oneAnEdit)
        }
        try applied.output.check(length: trace.finalLength)
        report.add("one change per edit: apply", applied.time, baseline: plain, limit: 5)
        let saved = Stopwatch.median(runs: 1) { applied.output.document.save() }
        report.add("one change per edit: save", saved.time, baseline: plain)
        report.add(
            "one change per edit: saved", Double(saved.output.count), "bytes", limit: 130_100)
        try measureLoad("one change per edit", saved.output, trace, plain, options, 2.5, &report)
    }

    private func measureLoad(
        _ name: String, _ file: Data, _ trace: EditTrace, _ plain: Duration,
        _ options: SuiteOptions, _ limit: Double, _ report: inout Report
    ) throws {
        let loaded = try Stopwatch.median(runs: options.runs) { try Document(file) }
        try TraceDocument(loaded.output).check(length: trace.finalLength)
        report.add("\(name): load", loaded.time, baseline: plain, limit: limit)
    }

    // MARK: A long text

    private static let longLength = 1_000_000

    private func measureLongText(_ options: SuiteOptions, _ report: inout Report) throws {
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        let characters = String(repeating: "lorem ipsum dolor sit amet, ", count: 35_715)
            .prefix(Self.longLength)
        try document.spliceText(obj: text, start: 0, delete: 0, value: String(characters))
        document.commitWith()
        let middle = UInt64(Self.longLength / 2)
        let times = 1000
        let inserted = try Stopwatch.median(runs: options.runs) {
            for offset in 0..<UInt64(times) {
                try document.spliceText(obj: text, start: middle + offset, delete: 0, value: "x")
            }
        }
        report.add(
            "million characters: insert in the middle",
            inserted.time.microseconds / Double(times), "µs")
        let slice = try Stopwatch.median(runs: options.runs) {
            var last = ""
            for offset in 0..<UInt64(times) {
                last = try document.text(obj: text, in: middle + offset..<middle + offset + 100)
            }
            return last
        }
        report.add(
            "million characters: read a slice of 100",
            slice.time.microseconds / Double(times), "µs")
        let whole = try Stopwatch.median(runs: options.runs) { try document.text(obj: text) }
        report.add("million characters: read all", whole.time)
    }

    // MARK: Forks

    private func measureForks(
        _ trace: EditTrace, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let base = try TraceDocument(trace, changes: .one)
        let length = base.document.length(obj: base.text)
        let merged = try Stopwatch.median(
            runs: options.runs,
            prepare: {
                let target = base.document.fork()
                let forks = try (0..<UInt64(100)).map { number in
                    let fork = base.document.fork()
                    for edit in 0..<UInt64(10) {
                        let position = (number * 7919 + edit * 104_729) % length
                        try fork.spliceText(
                            obj: base.text, start: position, delete: 1, value: "fork \(number)")
                    }
                    fork.commitWith()
                    return fork
                }
                return (target, forks)
            },
            work: { target, forks in
                for fork in forks { try target.merge(other: fork) }
                return target
            })
        report.add("100 forks of 10 edits: merge", merged.time)
    }
}
