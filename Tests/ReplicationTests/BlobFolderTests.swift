import Foundation
import Glibc
import TestSupport
import Testing

@testable import Replication

@Suite struct BlobFolderTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private var blobs: BlobFolder { package.blobs }

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("p"))
    }

    private func link(_ relative: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(package.path)/\(relative)", withDestinationPath: target)
    }

    @Test func storedBlobCanBeRead() throws {
        let data = Data((0...255).map { UInt8($0) })
        try blobs.put(data, at: "a/b/picture.png")
        try blobs.put(Data(), at: "empty")
        try blobs.put(data, at: "a/b/picture.png")
        #expect(try blobs.data(at: "a/b/picture.png") == data)
        #expect(try blobs.data(at: "empty").isEmpty)
        #expect(try blobs.entries().map(\.path) == ["a/b/picture.png", "empty"])
        #expect(try blobs.entries(prefix: "a/").map(\.byteCount) == [256])
        #expect(try blobs.entries(prefix: "a/b/p").count == 1)
        #expect(try blobs.entries(prefix: "b").isEmpty)
        #expect(try blobs.entry("a/b/none") == nil)
        #expect(try blobs.entry("a/b") == nil)
        #expect(try blobs.entry("empty/none") == nil)
    }

    @Test func replacingIsAtomicAndLeavesNoOtherFiles() throws {
        try blobs.put(Data("first".utf8), at: "x")
        let reader = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: "\(package.path)/Blobs/x"))
        try blobs.put(Data("second".utf8), at: "x")
        #expect(try reader.readToEnd() == Data("first".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(package.path)/Blobs")
        #expect(names == ["x"])
    }

    @Test func replacedBlobKeepsItsPermissions() throws {
        try blobs.put(Data("first".utf8), at: "x")
        let file = "\(package.path)/Blobs/x"
        for permissions in [0o600, 0o755, 0o666] as [mode_t] {
            chmod(file, permissions)
            try blobs.put(Data("second".utf8), at: "x")
            #expect(try FileStatus.ofLink(at: file)?.permissions == permissions)
        }
    }

    @Test func modificationTimesArePreserved() throws {
        for text in ["2020-02-03T04:05:06.789012Z", "1969-12-31T23:59:59.999999Z"] {
            let time = try Timestamp(parsing: text)
            try blobs.put(Data("x".utf8), at: "x", modified: time)
            #expect(try blobs.entry("x")?.modified == time)
        }
    }

    @Test func deletedBlobIsMissing() throws {
        try blobs.put(Data("x".utf8), at: "a/x")
        try blobs.delete("a/x")
        expectCode(.notFound) { try blobs.data(at: "a/x") }
        expectCode(.notFound) { try blobs.delete("a/x") }
        expectCode(.notFound) { try blobs.delete("a") }
        #expect(try blobs.entries().isEmpty)
    }

    @Test(arguments: [
        "", "/", "/etc/passwd", "../x", "a/../../x", "a/..", ".", "./x", "a//b", "a/", ".hidden",
        "a/.hidden/b", "a\u{0}b", "~syncthing~x.tmp", "a/x.!sync",
        String(repeating: "x", count: 256), String(repeating: "x/", count: 3_000) + "x",
    ])
    func pathsThatLeadElsewhereAreRefused(path: String) throws {
        expectCode(.unsafePath) { try blobs.put(Data("x".utf8), at: path) }
        expectCode(.unsafePath) { try blobs.data(at: path) }
        expectCode(.unsafePath) { try blobs.delete(path) }
        expectCode(.unsafePath) { try blobs.entry(path) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["p"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: package.path) == ["Devices"])
    }

    @Test func symbolicLinksAreRefusedAnywhereOnTheWay() throws {
        let outside = folder.appending("outside")
        try FileManager.default.createDirectory(
            atPath: outside, withIntermediateDirectories: false)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(outside)/file"))
        try blobs.put(Data("x".utf8), at: "a/real")
        try link("Blobs/folder", to: outside)
        try link("Blobs/a/inner", to: outside)
        try link("Blobs/file", to: "\(outside)/file")
        try link("Blobs/new", to: "\(outside)/new")
        let before = try FolderState(of: outside)
        for path in ["folder/file", "a/inner/file", "file", "new"] {
            expectCode(.unsafePath) { try blobs.data(at: path) }
            expectCode(.unsafePath) { try blobs.put(Data("y".utf8), at: path) }
            expectCode(.unsafePath) { try blobs.delete(path) }
            expectCode(.unsafePath) { try blobs.entry(path) }
        }
        expectCode(.unsafePath) { try blobs.put(Data("y".utf8), at: "folder/deep/er") }
        #expect(try blobs.entries().map(\.path) == ["a/real"])
        #expect(try FolderState(of: outside) == before)
    }

    @Test func linkInPlaceOfTheFolderIsRefused() throws {
        let outside = folder.appending("outside")
        try FileManager.default.createDirectory(
            atPath: outside, withIntermediateDirectories: false)
        try Data("secret".utf8).write(to: URL(fileURLWithPath: "\(outside)/file"))
        try link("Blobs", to: outside)
        expectCode(.unsafePath) { try blobs.data(at: "file") }
        expectCode(.unsafePath) { try blobs.put(Data("y".utf8), at: "other") }
        #expect(try blobs.entries().isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: outside) == ["file"])
    }

    @Test func pipesAndFoldersAreNotBlobs() throws {
        try blobs.put(Data("x".utf8), at: "a/x")
        #expect(mkfifo("\(package.path)/Blobs/pipe", 0o600) == 0)
        expectCode(.unreadable) { try blobs.data(at: "pipe") }
        expectCode(.cannotCreate) { try blobs.put(Data(), at: "pipe") }
        expectCode(.cannotCreate) { try blobs.put(Data(), at: "a") }
        expectCode(.cannotCreate) { try blobs.put(Data(), at: "a/x/y") }
        #expect(try blobs.entries().map(\.path) == ["a/x"])
    }

    @Test func transfersAndHiddenFilesAreNotListed() throws {
        for name in ["~syncthing~x.tmp", ".x.icloud", ".DS_Store", "x.1234abcd.partial", "real"] {
            try blobs.put(Data("x".utf8), at: "seed")
            try FileManager.default.copyItem(
                atPath: "\(package.path)/Blobs/seed", toPath: "\(package.path)/Blobs/\(name)")
        }
        #expect(try blobs.entries().map(\.path) == ["real", "seed"])
    }

    @Test func conflictCopyIsReportedAndNotABlob() throws {
        let copy = "trip/photo.sync-conflict-20260101-120000-ABC2DEF.jpg"
        try blobs.put(Data("one".utf8), at: "trip/photo.jpg")
        try Data("two".utf8).write(to: URL(filePath: "\(package.path)/Blobs/\(copy)"))
        try Data("three".utf8).write(to: URL(filePath: "\(package.path)/Blobs/a.txt..path1"))
        #expect(try blobs.entries().map(\.path) == ["trip/photo.jpg"])
        #expect(try blobs.survey().syncServiceFiles.map(\.name) == ["a.txt..path1", copy])
        #expect(
            try blobs.survey().syncServiceFiles.map(\.original) == ["a.txt", "trip/photo.jpg"])
        #expect(try blobs.data(at: copy) == Data("two".utf8))
        expectCode(.unsafePath) { try blobs.put(Data(), at: copy) }
        try blobs.delete(copy)
        #expect(try blobs.survey().syncServiceFiles.map(\.name) == ["a.txt..path1"])
    }

    @Test func leftoversOfServicesAreReportedAndNotListed() throws {
        let left: [(name: String, role: SyncServiceFile.Role)] = [
            (".poster.txt.icloud", .placeholder), ("notes (conflicting copy).txt", .conflictCopy),
            ("notes-DESKTOP-1A2B3C4.txt", .conflictCopy),
            ("notes.txt.1a2b3c4d.partial", .temporary),
            ("~$report.docx", .lock),
        ]
        let own = ["Copy (2) of notes.txt", "notes.txt", "other-DESKTOP-1A2B3C4.txt"]
        try blobs.put(Data(), at: "folder/x")
        for name in left.map(\.name) + own {
            try Data(name.utf8).write(to: URL(filePath: "\(package.path)/Blobs/folder/\(name)"))
        }
        let survey = try blobs.survey()
        #expect(survey.entries.map(\.path) == (own + ["x"]).map { "folder/\($0)" })
        #expect(survey.syncServiceFiles.map(\.name) == left.map { "folder/\($0.name)" })
        #expect(survey.syncServiceFiles.map(\.role) == left.map(\.role))
        for name in left.map(\.name) {
            expectCode(.unsafePath) { try blobs.put(Data(), at: "folder/\(name)") }
        }
    }

    @Test func namesThatOtherSystemsRefuseAreReported() throws {
        for name in ["A.txt", "a.txt", "CON", "aux.tar.gz", "q?", "trail ", "dot.", "console"] {
            try blobs.put(Data(), at: "in/\(name)")
        }
        let problems = try blobs.survey().nameProblems
        #expect(problems.map(\.name) == ["CON", "a.txt", "aux.tar.gz", "dot.", "q?", "trail "])
        #expect(problems.allSatisfy { $0.folder == "Blobs/in" })
        #expect(problems.filter { $0.kind == .collides(with: ["A.txt"]) }.map(\.name) == ["a.txt"])
        #expect(try blobs.nameProblems(of: "IN/b").map(\.kind) == [.collides(with: ["in"])])
        #expect(try blobs.nameProblems(of: "in/b").isEmpty)
    }

    @Test func sizesAreCheckedBeforeMemoryIsAllocated() throws {
        try blobs.put(Data(), at: "big")
        // A sparse file: a terabyte that takes no disk space.
        #expect(truncate("\(package.path)/Blobs/big", 1 << 40) == 0)
        expectCode(.tooLarge) { try blobs.data(at: "big") }
        try blobs.put(Data(count: 10), at: "small")
        expectCode(.tooLarge) { try blobs.data(at: "small", limit: 9) }
        #expect(try blobs.data(at: "small", limit: 10).count == 10)
    }

    @Test func olderSpellingIsReadAndWritten() throws {
        let path = folder.appending("old")
        for name in ["devices/phone", "blobs/a"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/blobs/a/x"))
        let old = try StorePackage(opening: path).blobs
        #expect(try old.data(at: "a/x") == Data("x".utf8))
        try old.put(Data("y".utf8), at: "y")
        #expect(FileManager.default.fileExists(atPath: "\(path)/blobs/y"))
        #expect(!FileManager.default.fileExists(atPath: "\(path)/Blobs"))
        #expect(try old.entries().map(\.path) == ["a/x", "y"])
    }

    @Test(arguments: ["Devices", "devices"])
    func listedBlobIsTheOneThatIsRead(_ devices: String) throws {
        let path = folder.appending("both")
        for name in ["\(devices)/phone", "Blobs", "blobs"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)", withIntermediateDirectories: true)
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(path)/Blobs/x"))
        try Data("xyz".utf8).write(to: URL(fileURLWithPath: "\(path)/blobs/x"))
        let both = try StorePackage(opening: path).blobs
        let byteCount = Int64(try both.data(at: "x").count)
        #expect(try both.entries().map(\.byteCount) == [byteCount])
        #expect(try both.entry("x")?.byteCount == byteCount)
    }

    @Test func piecesAddUpToTheBlob() throws {
        let data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try blobs.put(at: "a/big") { write in
            for start in stride(from: 0, to: data.count, by: 700_001) {
                try data[start..<min(start + 700_001, data.count)].withUnsafeBytes(write)
            }
        }
        #expect(try blobs.data(at: "a/big") == data)
        var read = Data()
        var longest = 0
        try blobs.read("a/big") { piece in
            read.append(contentsOf: piece)
            longest = max(longest, piece.count)
        }
        #expect(read == data)
        #expect(longest == 1 << 20)
        expectCode(.notFound) { try blobs.read("a/none") { _ in } }
    }

    @Test func failedPutChangesNothing() throws {
        try blobs.put(Data("old".utf8), at: "x")
        #expect(throws: CancellationError.self) {
            try blobs.put(at: "x") { write in
                try Data("new".utf8).withUnsafeBytes(write)
                throw CancellationError()
            }
        }
        #expect(try blobs.data(at: "x") == Data("old".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(package.path)/Blobs")
        #expect(names == ["x"])
    }

    @Test func blobThatListingsLeaveOutIsRefused() throws {
        let deepest = String(repeating: "d/", count: 64) + "x"
        try blobs.put(Data("x".utf8), at: deepest)
        #expect(try blobs.entries().map(\.path) == [deepest])
        expectCode(.unsafePath) { try blobs.put(Data("x".utf8), at: "d/" + deepest) }
        // A blob that another program stored can be read and deleted.
        let folder = "\(package.path)/Blobs/" + String(repeating: "d/", count: 64)
        try FileManager.default.createDirectory(
            atPath: folder + "d", withIntermediateDirectories: true)
        try Data("y".utf8).write(to: URL(filePath: folder + "d/x"))
        #expect(try blobs.data(at: "d/" + deepest) == Data("y".utf8))
        let unread = try blobs.survey().unreadFolders.map(\.path)
        #expect(unread == [String(repeating: "d/", count: 64) + "d"])
        try blobs.delete("d/" + deepest)
    }

    @Test func laterWriterRemovesFilesOfAKilledOne() throws {
        let name = ".tideline-5F0A1B6C-2222-4333-8444-9D9E9F000001.tmp"
        try blobs.put(Data("x".utf8), at: "b/x")
        let left = "\(package.path)/Blobs/b/\(name)"
        try Data("half".utf8).write(to: URL(filePath: left))
        #expect(SyncServiceFile(name: name)?.role == .temporary)
        #expect(SyncServiceFile(name: ".tideline-notes.tmp") == nil)
        #expect(try blobs.entries().map(\.path) == ["b/x"])
        // A temporary file in a storage folder has a shorter name.
        let other = "\(package.path)/Blobs/b/.tideline-4022250974"
        try Data("half".utf8).write(to: URL(filePath: other))
        // A recently changed file may still be in use.
        let folder = try Descriptor(folder: "\(package.path)/Blobs/b")
        try UnfinishedFile.removeOld(in: folder, "b", now: time(nil))
        #expect([left, other].allSatisfy { FileManager.default.fileExists(atPath: $0) })
        try UnfinishedFile.removeOld(in: folder, "b", now: time(nil) + 100_000)
        #expect(![left, other].contains { FileManager.default.fileExists(atPath: $0) })
        #expect(try blobs.data(at: "b/x") == Data("x".utf8))
    }
}
