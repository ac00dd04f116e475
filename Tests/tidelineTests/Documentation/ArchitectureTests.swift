import Foundation
import TestSupport
import Testing

/// The pages for contributors name types, files and folders as they are called in the sources.
@Suite struct ArchitectureTests {
    private static let names = Result { try SourceNames(in: ["Sources", "Tests"]) }

    @Test(arguments: ["docs/architecture.md", "CONTRIBUTING.md"])
    func namesOnThePageExist(page: String) throws {
        let names = try Self.names.get()
        var unknown: [Substring] = []
        var isDiagram = false
        for line in try Documentation.lines(of: page) {
            if line.hasPrefix("```") { isDiagram.toggle() }
            guard !isDiagram else { continue }
            unknown += line.matches(of: /`([^`]+)`/).map(\.1).filter { !names.contain($0) }
        }
        #expect(unknown == [])
    }

    @Test(arguments: [
        ("KeyValueStore", true), ("EditPlan", true), ("KeyValueContext+Edits", true),
        ("Keymap.resolve", true), ("SessionStatus.Device", true), ("Update/Actions", true),
        ("KeyValue/Log.swift", true), ("tideline kv", true), ("Blobs/", true),
        ("KeyValueShop", false), ("KeyValueContext+Sales", false), ("Keymap.dissolve", false),
        ("Update/Reactions", false),
    ])
    func onlyExistingNamesAreFound(name: String, isThere: Bool) throws {
        #expect(try Self.names.get().contain(name[...]) == isThere)
    }
}

/// The names of files, folders and declarations in the sources.
private struct SourceNames {
    private static let keywords: Set<Substring> = [
        "struct", "enum", "class", "actor", "protocol", "typealias", "func", "var", "let", "case",
    ]

    /// The paths of all files and folders, each with a slash at its start.
    private var paths: [String] = []
    /// The names of files, without their extension, and of folders.
    private var items: Set<String> = []
    /// The names of all declarations, and types of swift-argument-parser.
    private var declarations: Set<Substring> = ["ParsableCommand", "AsyncParsableCommand"]

    init(in folders: [String]) throws {
        for folder in folders {
            let root = Documentation.root.appending(path: folder)
            let all = FileManager.default.enumerator(atPath: root.path)
            while let path = all?.nextObject() as? String {
                guard !path.hasSuffix("/.build") else {
                    all?.skipDescendants()
                    continue
                }
                paths.append("/\(folder)/\(path)")
                let name = path.split(separator: "/").last ?? ""
                items.insert(String(name.hasSuffix(".swift") ? name.dropLast(6) : name))
                guard name.hasSuffix(".swift") else { continue }
                let url = root.appending(path: path)
                addDeclarations(in: try String(contentsOf: url, encoding: .utf8))
            }
        }
    }

    private mutating func addDeclarations(in text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 8)
            guard words.first?.hasPrefix("//") == false else { continue }
            for (word, next) in zip(words, words.dropFirst()) where Self.keywords.contains(word) {
                declarations.insert(next.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            }
        }
    }

    /// Returns whether the name exists. Texts that aren't the name of a type, a member of a type, a
    /// file or a path in the sources always count as existing.
    func contain(_ name: Substring) -> Bool {
        let stem = String(name.hasSuffix(".swift") ? name.dropLast(6) : name)
        if name.contains(#/^([A-Za-z]+/)+[A-Z][A-Za-z+]*(\.swift)?$/#) {
            return paths.contains { $0.hasSuffix("/\(name)") }
        }
        if stem.contains(/^[A-Z][A-Za-z]*(\+[A-Za-z]+)?$/) {
            return items.contains(stem) || declarations.contains(stem[...])
        }
        if name.contains(/^[A-Z][A-Za-z]*(\.[A-Za-z]+)+$/) {
            return name.split(separator: ".").allSatisfy { declarations.contains($0) }
        }
        return true
    }
}
