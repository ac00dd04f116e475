import Foundation
import Glibc
import TestSupport
import Testing

@testable import Replication

@Suite struct WholeFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("file")
    }

    @Test func replacedFileKeepsItsPermissions() throws {
        try Data("old".utf8).write(to: URL(filePath: path))
        #expect(chmod(path, 0o640) == 0)
        try WholeFile.write(Data("new".utf8), to: path)
        #expect(try WholeFile.read(path, limit: 10) == Data("new".utf8))
        #expect(
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func linkStaysAndItsTargetIsReplaced() throws {
        let target = folder.appending("target")
        try Data("old".utf8).write(to: URL(filePath: target))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        try WholeFile.write(Data("new".utf8), to: path)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("new".utf8))
    }

    @Test func pipeWithAReaderIsWrittenTo() throws {
        #expect(mkfifo(path, 0o600) == 0)
        expectCode(.cannotCreate) { try WholeFile.write(Data("x".utf8), to: path) }
        let reader = open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        try WholeFile.write(Data("through".utf8), to: path)
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &bytes, 16) == 7)
        #expect(String(decoding: bytes[..<7], as: UTF8.self) == "through")
        #expect(try FileStatus.ofLink(at: path)?.isPipe == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func pipeCannotBeReadAsAWholeFile() throws {
        #expect(mkfifo(path, 0o600) == 0)
        expectCode(.unreadable) { try WholeFile.read(path, limit: 10) }
        expectCode(.unreadable) { try WholeFile.beginning(of: path, count: 10) }
    }

    @Test func holesAllocateNoMemory() throws {
        try Data("start".utf8).write(to: URL(filePath: path))
        #expect(truncate(path, 1 << 30) == 0)
        expectCode(.incomplete) { try WholeFile.read(path, limit: 1 << 30) }
        expectCode(.tooLarge) { try WholeFile.read(path, limit: 1 << 20) }
        #expect(truncate(path, 1 << 20) == 0)
        #expect(try WholeFile.read(path, limit: 1 << 30).count == 1 << 20)
    }

    @Test func foldersAreNeitherReplacedNorCreated() throws {
        expectCode(.cannotCreate) { try WholeFile.write(Data(), to: folder.path) }
        expectCode(.cannotCreate) { try WholeFile.write(Data(), to: path + "/none/file") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func copyOfASparseFileStaysSparse() throws {
        var random = SeededRandom(seed: 7)
        try Sample.append(200, to: path, bytes: 1_000, random: &random)
        #expect(truncate(path, 6 << 30) == 0)
        try Data([1, 2, 3]).write(to: URL(filePath: path + "-wal"))
        let (stamp, header) = try FileStamp.take(path)
        let copy = try PrivateCopy.make(of: path, stamp, header: header)
        var status = stat()
        #expect(stat(copy.path, &status) == 0)
        #expect(status.st_size == 6 << 30)
        #expect(status.st_blocks * 512 < 8 << 20)
        let beginning = try WholeFile.beginning(of: path, count: 1 << 18)
        #expect(try WholeFile.beginning(of: copy.path, count: 1 << 18) == beginning)
    }
}
