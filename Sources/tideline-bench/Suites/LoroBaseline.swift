import BenchSupport
import Foundation

/// The time in which the Python package loro applies the trace, as the baseline of the suite's
/// ratios.
enum LoroBaseline {
    private static let script = """
        import json, sys, time
        import loro
        edits = [(e[0], e[1], "".join(e[2:])) for e in json.load(open(sys.argv[1]))]
        times = []
        for _ in range(int(sys.argv[2])):
            document = loro.LoroDoc()
            text = document.get_text("text")
            start = time.perf_counter()
            for position, deleted, inserted in edits:
                if deleted:
                    text.delete(position, deleted)
                if inserted:
                    text.insert(position, inserted)
            document.commit()
            times.append(time.perf_counter() - start)
        print(sorted(times)[(len(times) - 1) // 2])
        """

    /// Requires `python3` with the package `loro` in PATH.
    static func measure(_ options: SuiteOptions) throws -> Duration {
        let trace = try options.fixture("automerge/edits.json")
        let output = try Program(named: "python3")
            .run(["-c", script, trace.path, String(options.runs)])
        guard let seconds = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("loro did not print a number: \(output.prefix(200))")
        }
        return .seconds(seconds)
    }
}
