import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// A package in which anna has created two workspaces:
///
///     Plans     {"title":"Trip","nights":7,"text":"We leave on Friday","todos":[{"done":false},"b"]}
///               and a second document, {"kind":"receipt"}
///     Shopping  {}
final class DocumentPackage: Sendable {
    let folder: TemporaryFolder
    let package: StorePackage
    let plans: UUID
    let receipt: UUID
    let shopping: UUID

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = try Self.open(package, "anna")
        let document = Automerge.Document()
        try document.put(obj: .ROOT, key: "title", value: .String("Trip"))
        try document.put(obj: .ROOT, key: "nights", value: .Counter(7))
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "We leave on Friday")
        let todos = try document.putObject(obj: .ROOT, key: "todos", ty: .List)
        let todo = try document.insertObject(obj: todos, index: 0, ty: .Map)
        try document.put(obj: todo, key: "done", value: .Boolean(false))
        try document.insert(obj: todos, index: 1, value: .String("b"))
        document.commitWith(
            message: "begun", timestamp: Date(timeIntervalSince1970: 1_700_000_000))
        let workspace = try store.newWorkspace(named: "Plans", index: document)
        plans = workspace.id
        let other = Automerge.Document()
        try other.put(obj: .ROOT, key: "kind", value: .String("receipt"))
        receipt = try workspace.newDocument(content: other).id
        shopping = try store.newWorkspace(named: "Shopping").id
        try store.close()
    }

    static func open(_ package: StorePackage, _ device: String?) throws -> AutomergeStore {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        return try AutomergeStore(
            package, device: try device.map { try DeviceID($0) }, configuration: configuration)
    }

    var path: String { package.path }

    /// Edits the plan as another device.
    func write(_ device: String, _ body: (Automerge.Document) throws -> Void) throws {
        let store = try Self.open(package, device)
        let document = try #require(try store.openDocument(plans))
        try body(document.automerge)
        try store.close()
    }

    /// Makes ben and carl set different titles of the plan concurrently.
    func disagree() throws {
        let stores = try ["ben", "carl"].map { (name: String) in
            (name, try Self.open(package, name))
        }
        let documents = try stores.map { name, store in
            (name, try #require(try store.openDocument(plans)))
        }
        for (name, document) in documents {
            try document.automerge.put(obj: .ROOT, key: "title", value: .String(name))
        }
        for (_, store) in stores { try store.close() }
    }

    /// Returns the plan as stored on disk.
    func json() throws -> String {
        let store = try Self.open(package, nil)
        return try DocumentView(try #require(try store.openDocument(plans))).json()
    }

    /// Opens a session on the package, with all its documents listed.
    func session(
        device: String? = "desk", isWritable: Bool = true
    ) async throws -> PaneSession {
        let session = try await PaneSession(path, device: device, isWritable: isWritable)
        try await session.session.reload()
        return session
    }

    /// The rows of the list are identified by document.
    func row(_ document: UUID) -> RowID { RowID(document.uuidString) }

    /// Returns the row of a place in the plan.
    func place(_ pointer: String) -> RowID { RowID(plans.uuidString + pointer) }

    /// Returns the row that shows a place in the list of all conflicts.
    func conflict(_ pointer: String) -> RowID {
        ConflictPlace(part: PaneID.documents.part, row: place(pointer)).listedRow
    }
}

extension PaneSession {
    /// Returns the list inside a document, as Enter opens it.
    func tree(_ document: UUID) async throws -> any RowSource {
        try #require(
            try await source(.documents).open(RowID(document.uuidString), at: nil))
    }

    /// Previews and applies an edit, like the screen.
    @discardableResult
    func perform(_ edit: Edit, in source: any RowSource) async throws -> AppliedEdit {
        try await source.apply(try await source.preview(edit))
    }

    /// Undoes an edit like the screen, in the list of its pane.
    @discardableResult
    func revert(_ applied: AppliedEdit) async throws -> AppliedEdit {
        try await perform(try #require(applied.undo.first), in: try source(.documents))
    }
}

extension RowSource {
    func names(_ query: RowQuery = RowQuery()) async throws -> [String] {
        try await window(WindowRequest(query: query, count: 1_000)).rows.map(\.id.name)
    }

    func texts(_ query: RowQuery = RowQuery()) async throws -> [[String]] {
        try await window(WindowRequest(query: query, count: 1_000)).rows.map {
            $0.cells.map(\.text)
        }
    }
}
