import Foundation
import Glibc
import Replication
import TestSupport
import Testing

@testable import TidelineCore

@Suite struct BlobListTests {
    private let folder: TemporaryFolder
    private let blobs: BlobFolder
    private let list: BlobList

    init() throws {
        folder = try TemporaryFolder()
        blobs = try StorePackage(creating: folder.appending("Notes.store")).blobs
        list = BlobList(blobs)
    }

    private func path(_ blob: String) -> String { "\(blobs.package.path)/Blobs/\(blob)" }

    private func expectSame(_ note: Comment) throws {
        #expect(try list.current().entries == blobs.entries(), note)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func notifiedChangesMatchANewListing(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try blobs.put(Data("first".utf8), at: "first")
        list.follow()
        try expectSame("at first")
        let names = [
            "a", "a/b", "a/b/c", "a-", "a0", "a/b0", "ab", "z (conflicted copy)/d", "e\u{301}", "é",
        ]
        for step in 0..<40 {
            guard let name = names.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let size = Int.random(in: 0..<9, using: &random)
                try? blobs.put(Data(count: size), at: name)
            case 2: try? FileManager.default.removeItem(atPath: path(name))
            case 3:
                guard let other = names.randomElement(using: &random) else { return }
                _ = rename(path(name), path(other))
                list.note([Name(other)])
            default:
                try? Data().write(
                    to: URL(filePath: path("\(name).sync-conflict-20260101-101010-ABCDEFG")))
            }
            list.note([Name(name)])
            try expectSame("step \(step), \(name)")
        }
    }

    @Test func listWithoutNotificationsIsReloaded() throws {
        #expect(try list.current().entries.isEmpty)
        try blobs.put(Data("x".utf8), at: "a")
        #expect(try list.current().entries.map(\.path) == ["a"])
    }

    @Test func revisionIdentifiesOneListing() throws {
        list.follow()
        let before = try list.current().revision
        list.note([""])
        #expect(try list.current().revision == before)
        try blobs.put(Data("x".utf8), at: "a")
        list.note(["a"])
        #expect(try list.current().revision != before)
    }

    @Test func unreadableFolderIsListedOnceItIsReadable() throws {
        try blobs.put(Data("x".utf8), at: "a")
        list.follow()
        let away = folder.appending("away")
        try FileManager.default.moveItem(atPath: blobs.package.path, toPath: away)
        #expect(throws: ReplicationError.self) { try list.current() }
        try FileManager.default.moveItem(atPath: away, toPath: blobs.package.path)
        #expect(try list.current().entries.map(\.path) == ["a"])
    }
}
