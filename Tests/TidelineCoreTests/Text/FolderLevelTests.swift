import Replication
import TestSupport
import Testing

@testable import TidelineCore

@Suite struct FolderLevelTests {
    private func children(_ names: [String], _ prefix: String = "") throws -> [FolderLevel.Child] {
        try FolderLevel.children(of: prefix, count: names.count) { names[$0] }
    }

    @Test func foldersAndItemsOfEachLevelAreListed() throws {
        let names = ["/a", "a", "a/", "a/b", "a/b/c", "a/d", "a0", "b/c/d", "c"]
        #expect(
            try children(names) == [
                .folder("/", 0..<1), .item(1), .folder("a/", 2..<6), .item(6), .folder("b/", 7..<8),
                .item(8),
            ])
        #expect(
            try children(names, "a/") == [.item(2), .item(3), .folder("a/b/", 4..<5), .item(5)])
        #expect(try children(names, "x/").isEmpty)
        #expect(try children([]).isEmpty)
    }

    @Test func everyNameIsInExactlyOneChild() throws {
        var random = SeededRandom(seed: 20_261_127)
        for _ in 0..<200 {
            let names = Set(
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    String(
                        (0..<Int.random(in: 1...6, using: &random)).map { _ in
                            "ab/é".randomElement(using: &random) ?? "a"
                        })
                }.map { Name($0) }
            ).sorted().map(\.text)
            for prefix in ["", "a/", "/", "é/"] {
                let below = names.indices.filter { Name(names[$0]).hasPrefix(prefix) }
                let listed = try children(names, prefix).flatMap { child -> [Int] in
                    switch child {
                    case .item(let index): [index]
                    case .folder(let path, let range):
                        range.filter { Name(names[$0]).hasPrefix(path) }
                    }
                }
                #expect(listed == below, "\(names) \(prefix)")
            }
        }
    }

    @Test func namesInsideFoldersAreNotRead() throws {
        let names = (0..<10_000).map { "f/\(100_000 + $0)" } + ["g"]
        var reads = 0
        let found = try FolderLevel.children(of: "", count: names.count) { index in
            reads += 1
            return names[index]
        }
        #expect(found == [.folder("f/", 0..<10_000), .item(10_000)])
        #expect(reads < 100)
    }
}
