import BenchSupport
import Foundation

/// The Python package automerge, which wraps the reference implementation in Rust, reading the same
/// documents. It is the baseline of ``ReadingSuite``.
struct AutomergeReference {
    /// The processor time for reading all files.
    let time: Duration
    /// The memory that the documents take, in megabytes.
    let memory: Double

    private static let script = """
        import sys, time
        from automerge import core

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * 4096

        def read(data, reads_text):
            document = core.Document.load(data)
            if reads_text:
                document.text(document.get(core.ROOT, "text")[1])
            return document

        reads_text = sys.argv[2] == "text"
        files = []
        for path in sys.argv[3:]:
            with open(path, "rb") as file:
                files.append(file.read())
        before = resident()
        documents = [read(data, reads_text) for data in files]
        memory = resident() - before
        documents = []
        times = []
        for _ in range(int(sys.argv[1])):
            start = time.process_time()
            for data in files:
                read(data, reads_text)
            times.append(time.process_time() - start)
        print(sorted(times)[(len(times) - 1) // 2], memory / 1e6)
        """

    /// Whether `python3` in PATH has the package.
    static var isAvailable: Bool {
        let output = try? Program(named: "python3").run([
            "-c", "from automerge import core; print(1)",
        ])
        return output?.hasPrefix("1") == true
    }

    /// Loads the files, and reads the text `text` of each.
    init(reading files: [URL], text: Bool, _ options: SuiteOptions) throws {
        let output = try Program(named: "python3").run(
            ["-c", Self.script, String(options.runs), text ? "text" : "load"] + files.map(\.path))
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else {
            throw BenchError("automerge did not print two numbers: \(output.prefix(200))")
        }
        (time, memory) = (.seconds(numbers[0]), numbers[1])
    }
}
