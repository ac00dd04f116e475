import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Copying whole documents from another store.
@Suite struct DocumentTakeoverTests {
    /// A store, and a copy from before ben added a workspace with two documents, and a document in
    /// the workspace Plans.
    private struct Pair {
        let package: DocumentPackage
        let copy: String
        let workspace: UUID
        let inside: UUID
        let plan: UUID

        init() throws {
            package = try DocumentPackage()
            copy = package.folder.appending("Copy.store")
            try FileManager.default.copyItem(atPath: package.path, toPath: copy)
            let store = try DocumentPackage.open(package.package, "ben")
            let document = Document()
            try document.put(obj: .ROOT, key: "dish", value: .String("soup"))
            document.commitWith(message: "first", timestamp: Date(timeIntervalSince1970: 1))
            try document.put(obj: .ROOT, key: "dish", value: .String("salad"))
            document.commitWith(message: "second", timestamp: Date(timeIntervalSince1970: 2))
            workspace = try store.newWorkspace(named: "Recipes", index: document).id
            inside = try store.newDocument(in: workspace, content: Self.document("inside")).id
            plan = try store.newDocument(in: package.plans, content: Self.document("plan")).id
            try store.close()
        }

        private static func document(_ kind: String) throws -> Document {
            let document = Document()
            try document.put(obj: .ROOT, key: "kind", value: .String(kind))
            return document
        }
    }

    private func differences(
        _ session: PaneSession, from other: String
    ) async throws -> (source: DifferencesSource, rows: [Row]) {
        let source = try await DifferencesSource(of: session.session, with: other, at: nil)
        return (source, try await source.window(WindowRequest(count: 100)).rows)
    }

    /// Returns the row of a document that only one store has.
    private func row(_ text: String, in rows: [Row]) throws -> RowID {
        try #require(rows.first { $0.cells.contains { $0.text.contains(text) } }).id
    }

    @Test func documentIsImportedWithItsIdentifierAndHistory() async throws {
        let pair = try Pair()
        let session = try await PaneSession(pair.copy)
        let (source, rows) = try await differences(session, from: pair.package.path)
        #expect(rows.map(\.cells[2].text) == ["removed", "removed", "removed"])
        for text in ["salad", "inside", "plan"] {
            let row = try row(text, in: rows)
            let preview = try await source.preview(.takeOver([row]))
            #expect(preview.warnings.contains { $0.contains("can't be undone") })
            #expect(try await source.apply(preview).undo.isEmpty)
        }
        let now = try await source.window(WindowRequest(count: 100)).rows
        #expect(now.map(\.cells[2].text) == ["same now", "same now", "same now"])
        await session.session.close()

        let store = try DocumentPackage.open(StorePackage(opening: pair.copy), nil)
        #expect(store.workspaceSummary(pair.workspace)?.name == "Recipes")
        let imported = try #require(try store.openDocument(pair.workspace))
        #expect(DocumentView(imported).document.getHistory().count == 2)
        #expect(try store.openDocument(pair.inside)?.workspace == pair.workspace)
        #expect(try store.openDocument(pair.plan)?.workspace == pair.package.plans)
        try store.close()
    }

    @Test func documentNeedsItsWorkspace() async throws {
        let pair = try Pair()
        let session = try await PaneSession(pair.copy)
        let (source, rows) = try await differences(session, from: pair.package.path)
        let row = try row("inside", in: rows)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver([row]))
        }
        #expect(error?.code == .unsupported && error?.message.contains("workspace") == true)
        await session.session.close()
    }

    @Test func documentOfTheOpenStoreIsNotDeleted() async throws {
        let pair = try Pair()
        let session = try await PaneSession(pair.package.path)
        let (source, rows) = try await differences(session, from: pair.copy)
        let row = try row("salad", in: rows)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver([row]))
        }
        #expect(error?.code == .unsupported)
        await session.session.close()
    }
}
