import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Keys grouped into folders.
@Suite struct KeyFolderTests {
    private let shared: SharedPackage

    init() throws { shared = try SharedPackage() }

    private func rows(
        _ source: any RowSource, _ query: RowQuery = RowQuery()
    ) async throws -> [Row] {
        try await source.window(WindowRequest(query: query, count: 100)).rows
    }

    private func open(_ source: any RowSource, _ row: RowID) async throws -> any RowSource {
        try #require(try await source.open(row, at: nil))
    }

    private func root(_ pane: PaneSession) async throws -> any RowSource {
        let keys = try pane.source(.keys)
        return try await open(keys, try #require(keys.folders))
    }

    @Test func foldersShowTheirKeysAndConflicts() async throws {
        let pane = try await PaneSession(shared.path)
        let root = try await root(pane)
        let notes = try #require(try await rows(root).first)
        #expect(notes.cells.prefix(3).map(\.text) == ["note/", "7 keys", "1"])
        let inside = try await open(root, notes.id)
        #expect(
            try await rows(inside).map { $0.cells.prefix(3).map(\.text) } == [
                ["1/", "3 keys", "1"], ["2/", "1 key", ""], ["3/", "2 keys", ""],
                ["4/", "1 key", ""],
            ])
        #expect(inside.title == "note/")
        let leaves = try await open(inside, try await rows(inside)[0].id)
        let keys = try await rows(leaves)
        #expect(keys.map(\.cells[0].text) == ["count", "due", "title"])
        #expect(keys.map(\.id.name) == ["note/1/count", "note/1/due", "note/1/title"])
        #expect(keys.map(\.isConflict) == [false, true, false])
        #expect(try await leaves.open(keys[0].id, at: nil) == nil)
        #expect(try await leaves.conflict(of: keys[1].id, at: nil)?.sides.count == 2)
        await pane.close()
    }

    @Test func keysAndFoldersAreInNaturalOrder() async throws {
        try shared.sync("anna")
        for number in [10, 9] { try shared.write("anna", [Name("note/\(number)/x"): "y"]) }
        let pane = try await PaneSession(shared.path)
        let names = SharedPackage.keys + ["note/9/x", "note/10/x"]
        #expect(try await pane.names(.keys) == names)
        #expect(try await pane.names(.keys, at: shared.clock.now) == names)
        #expect(try await pane.names(.keys, "x").suffix(2) == ["note/9/x", "note/10/x"])
        let inside = try await open(try await root(pane), RowID(folder: "note/"))
        #expect(
            try await rows(inside).map(\.cells[0].text) == ["1/", "2/", "3/", "4/", "9/", "10/"])
        await pane.close()
    }

    @Test func timeTravelShowsTheFoldersOfTheInstant() async throws {
        let pane = try await PaneSession(shared.path)
        let root = try await root(pane)
        let notes = RowID(folder: "note/")
        let inside = try await open(root, notes)
        let past = RowQuery(instant: shared.instants[0])
        #expect(
            try await rows(inside, past).map { $0.cells.prefix(3).map(\.text) } == [
                ["1/", "3 keys", ""], ["2/", "2 keys", ""], ["3/", "2 keys", ""],
            ])
        #expect(try await rows(inside, RowQuery(filter: "conflicts>0")).count == 1)
        let sorted = RowQuery(sort: .init(column: "name", isDescending: true))
        #expect(try await rows(inside, sorted).first?.cells[0].text == "4/")
        await pane.close()
    }

    @Test func changedKeysAreChangesOfTheirFolders() async throws {
        let pane = try await PaneSession(shared.path)
        let root = try await root(pane)
        let inside = try await open(root, RowID(folder: "note/"))
        func changes(_ folder: String, in source: any RowSource) async throws -> Bool? {
            try await source.hasChanges(
                inside: RowID(folder: folder), since: shared.instants[0])
        }
        let outer = try await changes("note/", in: root)
        #expect(outer == true)
        // The title and the date in the first folder have changed since, but not their number.
        let (first, third) = (
            try await changes("note/1/", in: inside), try await changes("note/3/", in: inside)
        )
        #expect(first == true && third == false)
        let leaf = try await inside.hasChanges(
            inside: RowID("note/1/title"), since: shared.instants[0])
        #expect(leaf == nil)
        // A later write of the same value is not a change.
        try shared.write("anna", ["note/3/raw": .data(Data(repeating: 7, count: 5000))])
        let again = try await changes("note/3/", in: inside)
        #expect(again == false)
        await pane.close()
    }

    @Test func conflictsInAFolderAreResolvedTogether() async throws {
        let pane = try await PaneSession(shared.path)
        let root = try await root(pane)
        let note = RowID(folder: "note/")
        #expect(try await root.conflictedRows(inside: note, at: nil) == [RowID("note/1/due")])
        #expect(try await rows(root).map(\.conflictsInside) == [1])
        #expect(try await rows(root, RowQuery(filter: "conflict:yes")).count == 1)
        let inside = try await open(root, RowID(folder: "note/1/"))
        let ids = try await rows(inside).map(\.id)
        let conflicts = try await inside.allConflicts(of: ids, at: nil)
        #expect(conflicts.keys.map(\.name) == ["note/1/due"])
        let side = try #require(conflicts[RowID("note/1/due")]?.first?.sides.last)
        let previews = try await inside.previews(
            of: [.resolve(RowID("note/1/due"), .take(side.id))], typedOver: nil)
        let written = await inside.apply(previews)
        let (applied, failure) = (written.applied, written.failure)
        #expect(applied.count == 1 && failure == nil)
        #expect(try await rows(inside).allSatisfy { !$0.isConflict })
        await pane.close()
    }

    @Test func keysAreEditedInFoldersButFoldersAreNot() async throws {
        let pane = try await PaneSession(shared.path)
        let root = try await root(pane)
        let inside = try await open(root, RowID(folder: "note/1/"))
        let text = TypedText(.string, "new")
        let edit = Edit.set(RowID("note/1/title"), field: nil, text)
        _ = try await inside.apply(try await inside.preview(edit))
        #expect(try await rows(inside)[2].cells[1].text == "\"new\"")
        let folder = RowID(folder: "note/")
        for edit in [
            Edit.set(folder, field: nil, text), .remove([folder], field: nil),
            .rename(folder, to: "x"), .restore([folder], at: shared.instants[0]),
        ] {
            await #expect {
                try await root.preview(edit)
            } throws: {
                ($0 as? EditError)?.code == .unsupported
            }
        }
        #expect(try await root.conflicts(of: folder, at: nil).isEmpty)
        #expect(try await root.copyForms(of: folder, at: nil).map(\.text) == ["note/"])
        await pane.close()
    }
}
