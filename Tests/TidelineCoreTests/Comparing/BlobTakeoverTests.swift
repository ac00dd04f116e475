import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Copying blobs from another package.
@Suite struct BlobTakeoverTests {
    private let own: SharedPackage
    private let other: SharedPackage

    init() throws {
        own = try SharedPackage()
        other = try SharedPackage()
    }

    private func differences(
        _ session: PaneSession
    ) async throws -> (source: DifferencesSource, rows: [RowID]) {
        let source = try await DifferencesSource(of: session.session, with: other.path, at: nil)
        let rows = try await source.window(
            WindowRequest(query: RowQuery(filter: "kind:blob"), count: 100)
        ).rows
        return (source, rows.map(\.id))
    }

    private func changes(_ source: DifferencesSource) async throws -> [String] {
        try await source.window(
            WindowRequest(query: RowQuery(filter: "kind:blob"), count: 100)
        ).rows.map(\.cells[2].text)
    }

    private func text(_ path: String) throws -> String? {
        guard try own.package.blobs.entry(path) != nil else { return nil }
        return String(decoding: try own.package.blobs.data(at: path), as: UTF8.self)
    }

    @Test func replacingAddingAndDeletingBlobsIsUndone() async throws {
        try own.package.blobs.put(Data("old".utf8), at: "a.txt")
        try other.package.blobs.put(Data("newer".utf8), at: "a.txt")
        try other.package.blobs.put(Data("added".utf8), at: "b/b.txt")
        try own.package.blobs.put(Data("only here".utf8), at: "c.txt")
        let session = try await PaneSession(own.path)
        let (source, rows) = try await differences(session)
        #expect(try await changes(source) == ["changed", "removed", "added"])
        var undo: [Edit] = []
        for row in rows {
            let preview = try await source.preview(.takeOver([row]))
            let applied = try await source.apply(preview)
            #expect(applied.rows == [row])
            undo += applied.undo
        }
        #expect(try text("a.txt") == "newer")
        #expect(try text("b/b.txt") == "added")
        #expect(try text("c.txt") == nil)
        #expect(try await changes(source) == ["same now", "same now", "same now"])
        #expect(undo.count == 3)

        // The journal can name any pane of the package.
        for (edit, pane) in zip(undo.reversed(), [PaneID.devices, .blobs, .devices]) {
            try await session.perform(edit, in: pane)
        }
        #expect(try text("a.txt") == "old")
        #expect(try text("b/b.txt") == nil)
        #expect(try text("c.txt") == "only here")
        #expect(try await changes(source) == ["changed", "removed", "added"])
        await session.session.close()
    }

    @Test func blobThatChangedAfterThePreviewIsNotWritten() async throws {
        try own.package.blobs.put(Data("old".utf8), at: "a.txt")
        try other.package.blobs.put(Data("newer".utf8), at: "a.txt")
        let session = try await PaneSession(own.path)
        let (source, rows) = try await differences(session)
        let preview = try await source.preview(.takeOver(rows))
        try own.package.blobs.put(Data("in between".utf8), at: "a.txt")
        let error = await #expect(throws: EditError.self) { _ = try await source.apply(preview) }
        #expect(error?.code == .moved)
        #expect(try text("a.txt") == "in between")
        await session.session.close()
    }

    @Test func blobThatTheOtherStoreHasLostIsNotDeleted() async throws {
        try own.package.blobs.put(Data("old".utf8), at: "a.txt")
        try other.package.blobs.put(Data("newer".utf8), at: "a.txt")
        let session = try await PaneSession(own.path)
        let (source, rows) = try await differences(session)
        let preview = try await source.preview(.takeOver(rows))
        try other.package.blobs.delete("a.txt")
        let gone = EditError.goneFromOtherStore("the blob a.txt")
        await #expect(throws: gone) { _ = try await source.apply(preview) }
        await #expect(throws: gone) { _ = try await source.preview(.takeOver(rows)) }
        #expect(try text("a.txt") == "old")
        await session.session.close()
    }

    @Test func undoIsRefusedAfterALaterWrite() async throws {
        try other.package.blobs.put(Data("new".utf8), at: "a.txt")
        let session = try await PaneSession(own.path)
        let (source, rows) = try await differences(session)
        let applied = try await source.apply(try await source.preview(.takeOver(rows)))
        try own.package.blobs.put(Data("later".utf8), at: "a.txt")
        let undo = try #require(applied.undo.first)
        let error = await #expect(throws: EditError.self) { _ = try await source.preview(undo) }
        #expect(error?.code == .builtOn)
        await session.session.close()
    }

    @Test func largeBlobIsReplacedWithAWarning() async throws {
        try own.package.blobs.put(Data(count: (8 << 20) + 1), at: "a.bin")
        try other.package.blobs.put(Data([1]), at: "a.bin")
        let session = try await PaneSession(own.path)
        let (source, rows) = try await differences(session)
        let preview = try await source.preview(.takeOver(rows))
        #expect(preview.warnings.count == 1)
        #expect(preview.warnings.first?.contains("8 MiB") == true)
        #expect(try await source.apply(preview).undo.isEmpty)
        #expect(try own.package.blobs.data(at: "a.bin") == Data([1]))
        await session.session.close()
    }

    @Test func readOnlySessionTakesNothingOver() async throws {
        try other.package.blobs.put(Data("new".utf8), at: "a.txt")
        let session = try await PaneSession(own.path, isWritable: false)
        let (source, rows) = try await differences(session)
        await #expect(throws: EditError.locked) { _ = try await source.preview(.takeOver(rows)) }
        #expect(try text("a.txt") == nil)
        await session.session.close()
    }
}
