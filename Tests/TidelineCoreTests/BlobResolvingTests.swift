import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Conflict copies in the Blobs pane.
@Suite struct BlobResolvingTests {
    private let folder: TemporaryFolder
    private let blobs: BlobFolder
    private let source: BlobsSource
    private let row = RowID("list.txt")
    private let copy = "list.sync-conflict-20260101-120000-ABC2DEF.txt"

    init() throws {
        folder = try TemporaryFolder()
        blobs = try StorePackage(creating: folder.appending("Notes.store")).blobs
        try blobs.put(Data("tent\nmap\n".utf8), at: "list.txt")
        try blobs.put(Data("x".utf8), at: "other.txt")
        let writing = WriteAccess(as: try DeviceID("desk"), isUnlocked: true)
        source = BlobsSource(blobs, BlobList(blobs), writing)
        try leave("tent\nrope\n", at: copy)
    }

    private func leave(_ text: String, at path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(blobs.package.path)/Blobs/\(path)"))
    }

    private func text() throws -> String {
        String(decoding: try blobs.data(at: "list.txt"), as: UTF8.self)
    }

    private func rows(_ filter: String = "") async throws -> [Row] {
        try await source.window(
            WindowRequest(query: RowQuery(filter: filter), position: .index(0), count: 10)
        ).rows
    }

    @Test func blobsWithCopiesAreMarkedAndFound() async throws {
        #expect(try await rows().map(\.isConflict) == [true, false])
        #expect(try await rows("conflict:yes").map(\.id) == [row])
        #expect(try await source.conflict(of: RowID("other.txt"), at: nil) == nil)
    }

    @Test func foldersOfBlobsShowTheirContentAndConflicts() async throws {
        try blobs.put(Data("abc".utf8), at: "photos/2026/a.jpg")
        try blobs.put(Data("de".utf8), at: "photos/b.jpg")
        let all = try #require(source.folders)
        let root = try #require(try await source.open(all, at: nil))
        func rows(_ source: any RowSource) async throws -> [Row] {
            try await source.window(WindowRequest(count: 10)).rows
        }
        #expect(
            try await rows(root).map { $0.cells.prefix(3).map(\.text) } == [
                ["list.txt", "1", "9 B"], ["other.txt", "1", "1 B"], ["photos/", "2", "5 B"],
            ])
        #expect(try await rows(root).map(\.isConflict) == [true, false, false])
        let photos = try #require(try await root.open(RowID(folder: "photos/"), at: nil))
        #expect(try await rows(photos).map(\.cells[0].text) == ["2026/", "b.jpg"])
        #expect(try await rows(photos).map(\.isFolder) == [true, false])
        #expect(try await root.conflictedRows(inside: all, at: nil) == [row])
        #expect(try await root.conflict(of: row, at: nil)?.sides.count == 2)
        _ = try await root.apply(
            try await root.preview(.resolve(row, .take(.init(.file(copy))))))
        #expect(try await rows(root).allSatisfy { !$0.isConflict })
    }

    @Test func sidesAreTheFiles() async throws {
        let conflict = try #require(try await source.conflict(of: row, at: nil))
        #expect(conflict.sides.map(\.author) == [.file("list.txt"), .file(copy)])
        #expect(conflict.sides.map(\.isWinner) == [true, false])
        #expect(conflict.sides.map(\.typed?.text) == ["tent\nmap\n", "tent\nrope\n"])
        let detail = try #require(try await source.detail(of: row, at: nil))
        let lines = detail.sections.flatMap(\.lines).map(\.text)
        #expect(lines.contains("map") && lines.contains("rope"))
    }

    @Test func chosenVersionIsPreviewedAndKept() async throws {
        let edit = Edit.resolve(row, .take(.init(.file(copy))))
        let preview = try await source.preview(edit)
        #expect(preview.changes.map(\.subject) == ["list.txt", copy])
        #expect(preview.changes[0].new?.whole?.text == "tent\nrope\n")
        #expect(preview.changes[1].new == nil)
        #expect(try text() == "tent\nmap\n")
        let applied = try await source.apply(preview)
        #expect(applied.rows == [row] && applied.undo.isEmpty)
        #expect(try text() == "tent\nrope\n")
        #expect(try await rows().map(\.isConflict) == [false, false])
    }

    @Test func copyWithoutABlobIsListedAndCanRestoreIt() async throws {
        let missing = RowID("lost.txt")
        try leave("alone", at: "lost (conflicted copy).txt")
        #expect(try await rows().map(\.id) == [row, missing, RowID("other.txt")])
        #expect(try await rows("conflict:yes").map(\.id) == [row, missing])
        let conflict = try #require(try await source.conflict(of: missing, at: nil))
        #expect(conflict.sides.map(\.typed?.text) == ["alone"])
        let edit = Edit.resolve(missing, .take(conflict.sides[0].id))
        _ = try await source.apply(try await source.preview(edit))
        #expect(try blobs.data(at: "lost.txt") == Data("alone".utf8))
        #expect(try await rows().map(\.isConflict) == [true, false, false])
    }

    @Test func versionThatCannotBeReadDoesNotHideTheOthers() async throws {
        try Data().write(to: URL(filePath: "\(blobs.package.path)/Blobs/\(copy)"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0], ofItemAtPath: "\(blobs.package.path)/Blobs/\(copy)")
        let conflict = try #require(try await source.conflict(of: row, at: nil))
        #expect(conflict.sides.count == 2)
        #expect(conflict.sides[0].typed?.text == "tent\nmap\n")
        #expect(try await source.detail(of: row, at: nil) != nil)
    }

    @Test func blobsAreAmongAllConflicts() async throws {
        for number in [10, 9] {
            try leave("alone", at: "lost \(number) (conflicted copy).txt")
        }
        let listing = BlobConflicts(source, undoing: source)
        let all = AllConflictsSource { [listing] }
        let rows = try await all.window(
            WindowRequest(query: RowQuery(), position: .index(0), count: 10)
        ).rows
        #expect(rows.map(\.cells[0].text) == ["list.txt", "lost 9.txt", "lost 10.txt"])
        #expect(rows.map(\.cells[2].text) == ["9 bytes", "no file", "no file"])
        #expect(try await all.conflict(of: rows[0].id, at: nil)?.sides.count == 2)
        let edit = Edit.resolve(rows[0].id, .take(.init(.file(copy))))
        let applied = try await all.apply(try await all.preview(edit))
        #expect(applied.rows == [rows[0].id])
        #expect(try text() == "tent\nrope\n")
    }

    @Test func mergedTextIsWritten() async throws {
        let edit = Edit.resolve(row, .value(TypedText(.text, "tent\nmap\nrope\n")))
        _ = try await source.apply(try await source.preview(edit))
        #expect(try text() == "tent\nmap\nrope\n")
    }

    @Test func versionThatChangesAfterThePreviewStaysUnresolved() async throws {
        let preview = try await source.preview(.resolve(row, .take(.init(.file("list.txt")))))
        try leave("something later", at: copy)
        await #expect {
            try await source.apply(preview)
        } throws: {
            ($0 as? EditError)?.code == .moved
        }
        #expect(try blobs.data(at: copy) == Data("something later".utf8))
    }

    @Test func lockedPaneResolvesNothing() async throws {
        source.writing.isUnlocked = false
        #expect(source.info.edits[.resolve] != .available)
        await #expect {
            try await source.preview(.resolve(row, .take(.init(.file(copy)))))
        } throws: {
            ($0 as? EditError)?.code == .readOnly
        }
    }

    @Test func bytesAreComparedButNotMergedByHand() async throws {
        try blobs.put(Data([0, 1, 2]), at: "list.txt")
        let conflict = try #require(try await source.conflict(of: row, at: nil))
        #expect(conflict.sides.map(\.isHidden) == [true, false])
        #expect(conflict.sides[0].value.hasPrefix("3 bytes"))
    }
}
