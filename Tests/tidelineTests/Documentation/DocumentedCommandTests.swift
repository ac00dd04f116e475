import Foundation
import TestSupport
import Testing

/// The commands of README.md and docs, run exactly as printed.
///
/// The `sh` blocks of a page run in order, in a folder with a demo store `Notes.store`. A line that
/// ends in `# exit code N` must exit with that code, every other line with 0. Each line of an
/// `output` block must appear in the output of the block before it, where `…` matches any text.
@Suite struct DocumentedCommandTests {
    private static let pages = Documentation.pages.filter { page in
        (try? Documentation.blocks(of: page))?.contains { $0.language == "sh" } == true
    }

    @Test(arguments: pages) func commandsOfThePageRun(page: String) throws {
        let folder = try TemporaryFolder()
        let made = try ProgramResult.tideline(
            ["demo", folder.appending("Notes.store"), "--no-open"], home: folder)
        try #require(made.status == 0, "\(made.errors)")

        let blocks = try Documentation.blocks(of: page)
        var script = "set -eu\ncd \(folder.path)\nset -x\n"
        for (number, block) in blocks.enumerated() where block.language == "sh" {
            script += "{ echo \(Self.marker(number)); } 2>/dev/null\n"
            script += block.lines.map(Self.command).joined(separator: "\n") + "\n"
        }
        let result = try ProgramResult.running(
            executable: "/bin/bash", ["-c", script],
            environment: [
                "HOME": folder.path, "XDG_STATE_HOME": folder.appending("state"),
                "PATH": Self.path, "LC_ALL": "C.UTF-8",
            ])
        #expect(result.status == 0, "\(result.errors.suffix(2_000))")

        for (number, block) in blocks.enumerated() where block.language == "output" {
            let command = blocks[..<number].lastIndex { $0.language == "sh" }
            let printed = command.map { Self.output(of: $0, in: result.output) } ?? []
            for line in block.lines where !printed.contains(where: { Self.fits($0, line) }) {
                Issue.record("not printed: \(line)\nbut:\n\(printed.joined(separator: "\n"))")
            }
        }
    }

    /// The programs of this build take precedence over installed ones.
    private static var path: String {
        let system = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let programs = URL(filePath: Programs.built("tideline")).deletingLastPathComponent().path
        return "\(programs):\(system)"
    }

    private static func marker(_ block: Int) -> String { "==block-\(block)==" }

    private static func command(_ line: String) -> String {
        guard let match = line.firstMatch(of: /^(.*?)\s+# exit code (\d+)/) else { return line }
        return "code=0; \(match.1) || code=$?; test $code = \(match.2)"
    }

    private static func output(of block: Int, in output: String) -> [String] {
        output.split(separator: "\n").drop { $0 != marker(block) }.dropFirst()
            .prefix { !$0.hasPrefix("==block-") }.map(String.init)
    }

    /// Whether a printed line contains the parts of a documented one, in order; spaces between
    /// words don't count.
    private static func fits(_ printed: String, _ line: String) -> Bool {
        func words(_ text: String) -> String {
            text.split(separator: " ").joined(separator: " ")
        }
        var rest = words(printed)[...]
        for part in line.split(separator: "…").map({ words(String($0)) }) {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
