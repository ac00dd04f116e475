import Foundation
import TestSupport
import Testing

/// The libraries don't know the programs: their texts name no command, no option and no key.
@Suite struct LibraryWordTests {
    private static let libraries = [
        "LosslessJSON", "Replication", "KeyValueStore", "EntityStore", "Automerge",
        "AutomergeUtilities", "DocumentStore", "DocumentSync", "DocumentSyncNIO", "ServerCatalog",
        "ServerCatalogGRDB", "AutoModel", "AutoModelSync", "Tables",
    ]

    @Test(arguments: libraries) func textsOfTheLibraryNameNoCommand(library: String) throws {
        let folder = Documentation.root.appending(path: "Sources/\(library)")
        let paths = FileManager.default.enumerator(atPath: folder.path)
        var found: [String] = []
        var fileCount = 0
        while let path = paths?.nextObject() as? String {
            guard path.hasSuffix(".swift") else { continue }
            fileCount += 1
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated() where Self.namesProgram(line)
            {
                found.append("\(path):\(index + 1): \(line)")
            }
        }
        #expect(fileCount > 0)
        #expect(found == [])
    }

    @Test(arguments: [
        (#"throw Failure("to list them: tideline docs list")"#, true),
        (#""start with --device""#, true), (#""(--as)""#, true), (#""not written; press y""#, true),
        (#"Glibc.exit(error.exitCode)"#, true), (#"/// As `tideline info` shows."#, false),
        (#"label: "Tideline.tables""#, false), (#"sql: "-- a comment""#, false),
        (#"unlink(new + "-journal")"#, false),
    ])
    func wordsOfTheProgramAreFound(line: String, isOne: Bool) {
        #expect(Self.namesProgram(line[...]) == isOne)
    }

    /// Whether a line contains a command, an option, a key or an exit code of the programs, outside
    /// comments.
    private static func namesProgram(_ line: Substring) -> Bool {
        if line.contains("exitCode") { return true }
        guard !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") else { return false }
        // Every second part is inside quotation marks.
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        let literals = line.contains("\"") ? parts.indices.filter { $0 % 2 == 1 } : []
        return literals.contains {
            parts[$0].contains(#/\btideline |(^|[ (`'])--[a-z]|\b[Pp]ress /#)
        }
    }
}
