import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Differences between the blobs of two packages.
@Suite struct BlobComparisonTests {
    private let folder: TemporaryFolder
    private let from: StorePackage
    private let to: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        from = try StorePackage(creating: folder.appending("A.store"))
        to = try StorePackage(creating: folder.appending("B.store"))
    }

    private func compared(prefix: String = "") throws -> [String] {
        var found: [String] = []
        try BlobComparison(from: from.blobs, to: to.blobs, prefix: prefix).forEach {
            found.append("\($0.change) \($0.subject.names[0].text)")
        } warn: {
            found.append("\($0): \($1)")
        }
        return found
    }

    private func put(_ path: String, _ old: Data?, _ new: Data?) throws {
        if let old { try from.blobs.put(old, at: path) }
        if let new { try to.blobs.put(new, at: path) }
    }

    @Test func blobsAreComparedByTheirBytes() throws {
        let large = Data(repeating: 1, count: 3 << 20)
        try put("large/same", large, large)
        try put("empty", Data(), Data())
        try put("large/other", large, large.dropLast() + [2])
        try put("longer", Data([1]), Data([1, 2]))
        try put("new", nil, Data([1]))
        try put("old/é", Data([1]), nil)
        let expected = [
            "changed large/other", "changed longer", "added new", "removed old/é",
        ]
        #expect(try compared() == expected)
        #expect(try compared(prefix: "large/") == ["changed large/other"])
    }

    @Test func modificationTimeAloneIsNotADifference() throws {
        try from.blobs.put(Data([1]), at: "a", modified: Timestamp(microseconds: 0))
        try to.blobs.put(Data([1]), at: "a", modified: Timestamp(microseconds: 1_000_000))
        #expect(try compared().isEmpty)
    }

    @Test func blobThatIsNotDownloadedIsNotCompared() throws {
        try put("b.txt", Data([1]), nil)
        try put("d/a.txt", Data([1]), Data([1]))
        let blob = try to.blobs.url(of: "d/a.txt")
        try FileManager.default.moveItem(
            at: blob, to: blob.deletingLastPathComponent().appending(path: ".a.txt.icloud"))
        let note =
            "to: \"d/a.txt\" is not compared: \"d/.a.txt.icloud\" is a placeholder for "
            + "\"d/a.txt\", which iCloud Drive has not downloaded"
        #expect(try compared() == ["removed b.txt", note])
        #expect(try compared(prefix: "d/a") == [note])
    }

    @Test func symbolicLinkInPlaceOfTheFolderOfBlobsIsNotCompared() throws {
        try put("a.txt", Data([1]), Data([1]))
        let blobs = "\(to.path)/Blobs"
        try FileManager.default.moveItem(atPath: blobs, toPath: folder.appending("Moved"))
        try FileManager.default.createSymbolicLink(
            atPath: blobs, withDestinationPath: folder.appending("Moved"))
        let found = try compared()
        #expect(found.count == 1 && found[0].hasPrefix("to: "), "\(found)")
        #expect(found[0].contains("symbolic link"))
    }

    @Test(.enabled(if: geteuid() != 0, "root reads every file"))
    func unreadableBlobIsReported() throws {
        try put("a", Data([1]), Data([1]))
        try put("b", Data([1]), Data([2]))
        chmod(try to.blobs.url(of: "a").path, 0)
        let found = try compared()
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("from: \"a\" is not compared") == true)
        #expect(found.last == "changed b")
    }
}
