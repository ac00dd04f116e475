import Foundation
import Glibc
import TestSupport
import Testing

@testable import Replication

@Suite struct BlobFileTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private var blobs: BlobFolder { package.blobs }

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("p"))
    }

    /// A file of more than two pieces.
    private func file(_ name: String = "a b#?.bin") throws -> (url: URL, data: Data) {
        var random = SeededRandom(seed: 7)
        let data = Data((0..<(5 << 19) + 3).map { _ in UInt8.random(in: 0...255, using: &random) })
        let url = folder.url.appending(path: name)
        try data.write(to: url)
        return (url, data)
    }

    @Test func fileRoundTripsThroughABlob() throws {
        let (url, data) = try file()
        let time = try Timestamp(parsing: "2020-02-03T04:05:06.789012Z")
        try blobs.put(Data("before".utf8), at: "photos/1")
        try blobs.put(contentsOf: url, at: "photos/1", modified: time)
        #expect(try blobs.data(at: "photos/1") == data)
        #expect(try blobs.entry("photos/1")?.modified == time)
        let found = try blobs.url(of: "photos/1")
        #expect(try Data(contentsOf: found) == data)
        #expect(found.path == "\(package.path)/Blobs/photos/1")
        #expect(try Data(contentsOf: url) == data)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: "\(package.path)/Blobs/photos")
        #expect(names == ["1"])
    }

    @Test func blobCanBeCopiedFromABlobOrItself() throws {
        let (url, data) = try file()
        try blobs.put(contentsOf: url, at: "1")
        try blobs.put(contentsOf: blobs.url(of: "1"), at: "2")
        try blobs.put(contentsOf: blobs.url(of: "1"), at: "1")
        #expect(try blobs.data(at: "1") == data)
        #expect(try blobs.data(at: "2") == data)
    }

    @Test func onlyRegularFilesReplaceABlob() throws {
        try blobs.put(Data("before".utf8), at: "x")
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let missing = folder.url.appending(path: "missing")
        expectCode(.notFound) { try blobs.put(contentsOf: missing, at: "x") }
        expectCode(.unreadable) { try blobs.put(contentsOf: folder.url, at: "x") }
        expectCode(.unreadable) { try blobs.put(contentsOf: URL(filePath: pipe), at: "x") }
        let remote = try #require(URL(string: "https://example.org/etc/hostname"))
        expectCode(.unreadable) { try blobs.put(contentsOf: remote, at: "x") }
        #expect(try blobs.data(at: "x") == Data("before".utf8))
        #expect(try blobs.entries().map(\.path) == ["x"])
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(package.path)/Blobs")
        #expect(names == ["x"])
    }

    @Test func linkToASourceFileIsFollowedButALinkAmongBlobsIsRefused() throws {
        let (url, data) = try file()
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
        try blobs.put(contentsOf: link, at: "x")
        #expect(try blobs.data(at: "x") == data)
        try FileManager.default.createSymbolicLink(
            atPath: "\(package.path)/Blobs/linked", withDestinationPath: url.path)
        expectCode(.unsafePath) { _ = try blobs.url(of: "linked") }
        expectCode(.unsafePath) { try blobs.put(contentsOf: url, at: "linked") }
    }

    @Test(arguments: ["", "../x", "/etc/passwd", "a/../../x", ".hidden", "a//b"])
    func pathsThatLeadElsewhereAreRefused(path: String) throws {
        let (url, _) = try file()
        expectCode(.unsafePath) { try blobs.put(contentsOf: url, at: path) }
        expectCode(.unsafePath) { _ = try blobs.url(of: path) }
    }

    @Test func missingBlobHasNoURL() throws {
        try blobs.put(Data(), at: "a/b")
        expectCode(.notFound) { _ = try blobs.url(of: "a") }
        expectCode(.notFound) { _ = try blobs.url(of: "a/c") }
    }

    @Test func urlLeadsToTheBlobInEitherSpelling() throws {
        let path = folder.appending("old")
        try FileManager.default.createDirectory(
            atPath: "\(path)/devices", withIntermediateDirectories: true)
        let old = try StorePackage(opening: path).blobs
        try old.put(Data("1".utf8), at: "x")
        #expect(try old.url(of: "x").path == "\(path)/blobs/x")
        try FileManager.default.createDirectory(
            atPath: "\(path)/Blobs", withIntermediateDirectories: true)
        try Data("2".utf8).write(to: URL(filePath: "\(path)/Blobs/y"))
        #expect(try old.url(of: "y").path == "\(path)/Blobs/y")
    }
}
