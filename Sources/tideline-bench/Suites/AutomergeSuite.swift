import Foundation

/// The text trace of a paper, as one text, beside the Python package loro (Rust inside).
struct AutomergeSuite: Suite {
    static let name = "automerge"
    static let abstract = "259,778 edits of a text: apply, save, load, memory."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let trace = try EditTrace(contentsOf: options.fixture("automerge/edits.json"))
        report.add("edits in the trace", Double(trace.edits.count), "edits")
        let plain = try LoroBaseline.measure(options)
        report.add("loro applies the trace", plain)
    }
}
