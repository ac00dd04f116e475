import Foundation
import Replication
import TestSupport
import Testing

/// Conflict copies of blobs.
@Suite struct BlobConflictTests {
    private let folder: TemporaryFolder
    private let blobs: BlobFolder
    private let copy = "trip/list.sync-conflict-20260101-120000-ABC2DEF.txt"
    private let other = "trip/list (Ada's conflicted copy 2026-01-02).txt"

    init() throws {
        folder = try TemporaryFolder()
        blobs = try StorePackage(creating: folder.appending("Notes.store")).blobs
        try blobs.put(Data("ours".utf8), at: "trip/list.txt")
        try leave("theirs", at: copy)
    }

    /// Writes a file as a sync service does.
    private func leave(_ text: String, at path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(blobs.package.path)/Blobs/\(path)"))
    }

    private func conflict() throws -> BlobConflict {
        try #require(try blobs.conflict(at: "trip/list.txt"))
    }

    private func text() throws -> String {
        String(decoding: try blobs.data(at: "trip/list.txt"), as: UTF8.self)
    }

    @Test func versionsAreTheBlobAndItsCopies() throws {
        try leave("others", at: other)
        try leave("alone", at: "lost.txt..path2")
        try blobs.put(Data(), at: "trip/list")
        let conflicts = try blobs.survey().conflicts
        #expect(conflicts.map(\.path) == ["lost.txt", "trip/list.txt"])
        #expect(conflicts[1].versions.map(\.path) == ["trip/list.txt", other, copy])
        #expect(conflicts[1].versions.map(\.service) == [nil, .dropbox, .syncthing])
        #expect(conflicts[1].versions.map { $0.entry?.byteCount } == [4, 6, 6])
        #expect(conflicts[0].versions.map { $0.entry?.byteCount } == [nil, 5])
        #expect(try blobs.conflict(at: "trip/list.txt") == conflicts[1])
        #expect(try blobs.conflict(at: "lost.txt") == conflicts[0])
        #expect(try blobs.conflict(at: "trip/list") == nil)
        #expect(try blobs.conflict(at: "trip") == nil)
    }

    @Test(arguments: ["list.Conflict.txt", "list_NAS_Nov-21-120000-2026_Conflict.txt"])
    func copiesOfOtherServicesAreVersions(_ name: String) throws {
        try leave("others", at: "trip/\(name)")
        try leave("a book", at: "trip/My.Conflict.pdf")
        #expect(try conflict().versions.map(\.path).contains("trip/\(name)"))
        #expect(try blobs.survey().conflicts.count == 1)
        #expect(try blobs.entry("trip/My.Conflict.pdf") != nil)
    }

    @Test func keptCopyBecomesTheBlob() throws {
        try leave("others", at: other)
        let conflict = try conflict()
        try blobs.resolve(conflict, keeping: conflict.versions[2])
        #expect(try text() == "theirs")
        #expect(try blobs.entry("trip/list.txt")?.modified == conflict.versions[2].entry?.modified)
        #expect(try blobs.survey().syncServiceFiles.isEmpty)
    }

    @Test func keepingTheBlobDoesNotChangeIt() throws {
        let conflict = try conflict()
        let before = try blobs.entry("trip/list.txt")
        try blobs.resolve(conflict, keeping: conflict.versions[0])
        #expect(try blobs.entry("trip/list.txt") == before)
        #expect(try blobs.conflict(at: "trip/list.txt") == nil)
    }

    @Test func mergedContentReplacesAllVersions() throws {
        try blobs.resolve(conflict(), with: Data("both".utf8))
        #expect(try text() == "both")
        #expect(try blobs.survey().syncServiceFiles.isEmpty)
    }

    @Test func copyOfADeletedBlobBringsItBack() throws {
        try blobs.delete("trip/list.txt")
        let conflict = try conflict()
        // The missing blob can't be kept, because that would delete the only content.
        #expect {
            try blobs.resolve(conflict, keeping: conflict.versions[0])
        } throws: {
            ($0 as? ReplicationError)?.code == .notFound
        }
        #expect(try blobs.data(at: copy) == Data("theirs".utf8))
        try blobs.resolve(conflict, keeping: conflict.versions[1])
        #expect(try text() == "theirs")
    }

    @Test func copiesOfACopyAreVersionsOfTheBlob() throws {
        let inner = "trip/list.sync-conflict-20260101-120000-ABC2DEF (conflicted copy).txt"
        try leave("inner", at: inner)
        #expect(try conflict().versions.map(\.path) == ["trip/list.txt", inner, copy])
        #expect(try blobs.survey().conflicts.map(\.path) == ["trip/list.txt"])
        try FileManager.default.removeItem(atPath: "\(blobs.package.path)/Blobs/\(copy)")
        #expect(try conflict().versions.map(\.path) == ["trip/list.txt", inner])
        // A computer's copy counts only next to its original.
        let computer = "trip/plan-DESKTOP-1A2B3C4"
        try leave("plan", at: "\(computer).txt")
        try leave("copy", at: "\(computer) (conflicted copy).txt")
        #expect(try blobs.survey().conflicts.map(\.path).last == "\(computer).txt")
        try leave("original", at: "trip/plan.txt")
        #expect(try blobs.survey().conflicts.map(\.path).last == "trip/plan.txt")
        #expect(try blobs.survey().conflicts.last?.versions.count == 3)
    }

    @Test func resolvingChangedVersionsIsRefused() throws {
        let conflict = try conflict()
        try leave("something later", at: copy)
        for version in conflict.versions {
            #expect {
                try blobs.resolve(conflict, keeping: version)
            } throws: {
                ($0 as? ReplicationError)?.code == .notFound
            }
        }
        #expect(try text() == "ours")
        #expect(try blobs.data(at: copy) == Data("something later".utf8))
    }

    @Test func blobThatIsNotDownloadedIsNotReplaced() throws {
        let blob = "\(blobs.package.path)/Blobs/trip/list.txt"
        let placeholder = "\(blobs.package.path)/Blobs/trip/.list.txt.icloud"
        try FileManager.default.moveItem(atPath: blob, toPath: placeholder)
        let conflict = try conflict()
        let version = try #require(conflict.versions.last)
        func expectIncomplete(_ body: () throws -> Void) {
            #expect(throws: (any Error).self) { try body() }
            #expect(!FileManager.default.fileExists(atPath: blob))
        }
        expectIncomplete { try blobs.resolve(conflict, keeping: version) }
        expectIncomplete { try blobs.put(Data(), at: "trip/list.txt") }
        #expect(try self.conflict() == conflict)
        try blobs.put(Data(), at: "trip/other list.txt")
        try FileManager.default.moveItem(atPath: placeholder, toPath: blob)
        try blobs.resolve(self.conflict(), keeping: version)
        #expect(FileManager.default.fileExists(atPath: blob))
    }

    @Test func linkIsNotAVersion() throws {
        let path = "\(blobs.package.path)/Blobs/\(other)"
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: folder.appending("outside"))
        #expect(try conflict().versions.map(\.path) == ["trip/list.txt", copy])
    }
}
