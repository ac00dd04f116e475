import Foundation
import Testing

@testable import TidelineUI

/// Compares the built-in themes with the theme files. After changing a file, run these tests once
/// with TIDELINE_RECORD=1.
@Suite struct ShippedThemesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let generated = "Sources/TidelineUI/Themes/ThemeLibrary+Shipped.swift"

    private func files() throws -> [String: String] {
        let folder = Self.root.appending(path: "Themes")
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".yaml") {
            files[String(name.dropLast(5))] = try String(
                contentsOf: folder.appending(path: name), encoding: .utf8)
        }
        return files
    }

    @Test func builtInThemesMatchTheThemesFolder() throws {
        let files = try files()
        if ProcessInfo.processInfo.environment["TIDELINE_RECORD"] == "1" {
            try Self.source(of: files).write(
                to: Self.root.appending(path: Self.generated), atomically: true, encoding: .utf8)
            Issue.record("written; run again without TIDELINE_RECORD")
        }
        #expect(
            ThemeLibrary.shipped == files, "\(Self.generated) is stale: run with TIDELINE_RECORD=1")
        #expect(files.keys.contains("tide-dark") && files.keys.contains("tide-light"))
    }

    @Test func everyShippedThemeDefinesEveryRole() throws {
        for (name, yaml) in try files() {
            let file = try ThemeFile(yaml: yaml, source: name)
            #expect(file.name == name)
            #expect(Set(Role.allCases).subtracting(file.roles.keys).isEmpty, "\(name)")
        }
    }

    private static func source(of files: [String: String]) -> String {
        var text = """
            // swift-format-ignore-file
            // Written by ShippedThemesTests from the folder Themes.

            extension ThemeLibrary {
                /// The themes that come with the program, by name: the files of the folder Themes, so that
                /// the program needs no other files.
                static let shipped: [String: String] = [

            """
        for (name, yaml) in files.sorted(by: { $0.key < $1.key }) {
            text += "        \"\(name)\": #\"\"\"\n"
            for line in yaml.split(separator: "\n", omittingEmptySubsequences: false) {
                text += line.isEmpty ? "\n" : "            \(line)\n"
            }
            text += "            \"\"\"#,\n"
        }
        return text + "    ]\n}\n"
    }
}
