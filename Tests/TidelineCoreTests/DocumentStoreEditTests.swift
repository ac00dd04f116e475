import Automerge
import DocumentStore
import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Edits of a store's documents from their tree: previewed, written as one chunk, undone.
@Suite struct DocumentStoreEditTests {
    private let stored: DocumentPackage

    init() throws { stored = try DocumentPackage() }

    @Test func setValueCanBeUndoneAndRedone() async throws {
        let session = try await stored.session()
        let before = try stored.json()
        let tree = try await session.tree(stored.plans)
        let row = stored.place("/title")
        #expect(try await tree.editableValue(of: row, field: nil) == TypedText(.string, "Trip"))
        let preview = try await tree.preview(.set(row, field: nil, TypedText(.string, "Sea")))
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "Plans /title", old: #""Trip""#, new: #""Sea""#)
            ])
        #expect(preview.file == "Devices/desk/Documents.db")
        #expect(preview.createsDevice)
        #expect(try stored.json() == before)
        let applied = try await tree.apply(preview)
        #expect(applied.rows == [row])
        #expect(try stored.json() == before.replacing("Trip", with: "Sea"))
        // Only the change itself was written.
        let store = try DocumentPackage.open(stored.package, nil)
        let own = store.chunks(of: stored.plans).filter { $0.device?.name == "desk" }
        #expect(own.count == 1 && own.allSatisfy { $0.byteCount < 200 })
        let undone = try await session.revert(applied)
        #expect(try stored.json() == before)
        try await session.revert(undone)
        #expect(try await tree.texts().map(\.[1]).contains(#""Sea""#))
        await session.close()
    }

    @Test func sameValueIsNotWrittenAgain() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        for pointer in ["/title", "/text", "/nights", "/todos"] {
            let row = stored.place(pointer)
            let typed = try #require(try await tree.editableValue(of: row, field: nil))
            let error = await #expect(throws: EditError.self, "\(pointer)") {
                try await tree.preview(.set(row, field: nil, typed))
            }
            #expect(error?.code == .unchanged, "\(pointer)")
        }
        await session.close()
    }

    @Test func everyKindOfEditCanBeUndone() async throws {
        let session = try await stored.session()
        let before = try stored.json()
        let tree = try await session.tree(stored.plans)
        let todos = try #require(try await tree.open(stored.place("/todos"), at: nil))
        let edits: [(any RowSource, Edit, String)] = [
            (tree, .count(stored.place("/nights"), by: -3), "\"nights\":4"),
            (
                tree, .set(stored.place("/nights"), field: nil, TypedText(.counter, "9")),
                "\"nights\":9"
            ),
            (
                tree, .set(stored.place("/nights"), field: nil, TypedText(.null, "")),
                "\"nights\":null"
            ),
            (
                tree,
                .set(stored.place("/text"), field: nil, TypedText(.text, "We stay until Friday")),
                "We stay until Friday"
            ),
            (
                tree, .add(name: "a/b", parent: nil, TypedText(.map, #"{"x":[1,"é"]}"#)),
                #""a/b":{"x":[1,"é"]}"#
            ),
            (todos, .add(name: "", parent: nil, TypedText(.boolean, "true")), "\"b\",true]"),
            (todos, .add(name: "0", parent: nil, TypedText(.text, "first")), "[\"first\",{"),
            (
                todos, .remove([stored.place("/todos/0"), stored.place("/todos/1")], field: nil),
                "\"todos\":[]"
            ),
            (todos, .set(stored.place("/todos/1"), field: nil, TypedText(.list, "[[]]")), "[[]]"),
            (tree, .remove([stored.place("/todos")], field: nil), "\"title\":\"Trip\"}"),
        ]
        for (source, edit, expected) in edits {
            let applied = try await session.perform(edit, in: source)
            let after = try stored.json()
            #expect(after.contains(expected), "\(edit) \(after)")
            #expect(after != before)
            let undone = try await session.revert(applied)
            #expect(try stored.json() == before, "\(edit)")
            try await session.revert(try await session.revert(undone))
            #expect(try stored.json() == before, "\(edit)")
        }
        await session.close()
    }

    @Test func severalEditsOfOnePlaceAreUndoneAndRedoneInTurn() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let (title, nights) = (stored.place("/title"), stored.place("/nights"))
        let (todos, item) = (stored.place("/todos"), stored.place("/todos/1"))
        let list = try #require(try await tree.open(todos, at: nil))
        let edits: [(any RowSource, Edit)] = [
            (tree, .set(title, field: nil, TypedText(.string, "A"))),
            (tree, .set(title, field: nil, TypedText(.string, "B"))),
            (list, .set(item, field: nil, TypedText(.string, "changed"))),
            (tree, .set(todos, field: nil, TypedText(.boolean, "true"))),
            (tree, .count(nights, by: 2)), (tree, .remove([nights], field: nil)),
        ]
        var states = [try stored.json()]
        var applied: [AppliedEdit] = []
        for (source, edit) in edits {
            applied.append(try await session.perform(edit, in: source))
            states.append(try stored.json())
        }
        var undone: [AppliedEdit] = []
        for (edit, state) in zip(applied, states).reversed() {
            undone.append(try await session.revert(edit))
            #expect(try stored.json() == state)
        }
        for (edit, state) in zip(undone.reversed(), states.dropFirst()) {
            try await session.revert(edit)
            #expect(try stored.json() == state)
        }
        await session.close()
    }

    @Test func undoInARestoredListIsRefusedIfAnotherDeviceChangedIt() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let list = try #require(try await tree.open(stored.place("/todos"), at: nil))
        let first = try await session.perform(
            .set(stored.place("/todos/1"), field: nil, TypedText(.string, "changed")), in: list)
        let second = try await session.perform(
            .set(stored.place("/todos"), field: nil, TypedText(.boolean, "true")), in: tree)
        try await session.revert(second)
        try stored.write("ben") { document in
            guard case .Object(let todos, _)? = try document.get(obj: .ROOT, key: "todos") else {
                return
            }
            try document.insert(obj: todos, index: 0, value: .String("zero"))
        }
        try await session.session.reload()
        let before = try stored.json()
        let error = await #expect(throws: EditError.self) { try await session.revert(first) }
        #expect(error?.code == .builtOn)
        #expect(try stored.json() == before)
        await session.close()
    }

    @Test func undoOfAnItemInConflictIsRefused() throws {
        let document = Document()
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        try document.insert(obj: list, index: 0, value: .String("a"))
        document.commitWith()
        let other = document.fork()
        try other.put(obj: list, index: 0, value: .String("other"))
        other.commitWith()
        // The second write has a greater operation number, so that it wins.
        for text in ["b", "c"] {
            try document.put(obj: list, index: 0, value: .String(text))
            document.commitWith()
        }
        let change = try #require(document.heads().first)
        try document.merge(other: other)
        let view = DocumentView(document)
        let before = try view.json()
        #expect(before == #"{"list":["c"]}"#)
        let error = #expect(throws: EditError.self) {
            try view.undo(change, by: nil, on: Date())
        }
        #expect(error?.code == .builtOn)
        #expect(try view.json() == before)
    }

    @Test func adding0ToACounterWritesNothing() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let error = await #expect(throws: EditError.self) {
            try await session.perform(.count(stored.place("/nights"), by: 0), in: tree)
        }
        #expect(error?.code == .unchanged)
        await session.close()
    }

    @Test func undoKeepsLaterWritesOfOthers() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let todos = try #require(try await tree.open(stored.place("/todos"), at: nil))
        let text = try await session.perform(
            .set(stored.place("/text"), field: nil, TypedText(.text, "We leave on Sunday")),
            in: tree)
        let count = try await session.perform(
            .set(stored.place("/nights"), field: nil, TypedText(.counter, "10")), in: tree)
        let item = try await session.perform(
            .add(name: "", parent: nil, TypedText(.string, "c")), in: todos)
        try stored.write("ben") { document in
            guard case .Object(let text, _)? = try document.get(obj: .ROOT, key: "text"),
                case .Object(let todos, _)? = try document.get(obj: .ROOT, key: "todos")
            else { return }
            try document.spliceText(obj: text, start: 0, delete: 0, value: "Yes: ")
            try document.increment(obj: .ROOT, key: "nights", by: 5)
            try document.insert(obj: todos, index: 0, value: .String("zero"))
        }
        try await session.session.reload()
        for applied in [text, count, item] { try await session.revert(applied) }
        let json = try stored.json()
        #expect(json.contains("Yes: We leave on Friday"))
        #expect(json.contains(#""nights":12"#))
        #expect(json.contains(#"["zero",{"done":false},"b"]"#))
        await session.close()
    }

    @Test func counterShowsTheWriterOfItsLastIncrement() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        try await session.perform(.count(stored.place("/nights"), by: 2), in: tree)
        let rows = try await tree.window(WindowRequest(count: 20)).rows
        let nights = try #require(rows.first { $0.id == stored.place("/nights") })
        let title = try #require(rows.first { $0.id == stored.place("/title") })
        #expect(nights.cells[1].text == "9" && nights.cells[3].text == "desk")
        #expect(title.cells[3].text != "desk")
        let changed = try #require(nights.cells[4].instant)
        #expect(changed > (title.cells[4].instant ?? .distantFuture))
        let detail = try #require(try await tree.detail(of: stored.place("/nights"), at: nil))
        let written = try #require(detail.sections.first { $0.title == "Written" })
        #expect(written.lines.contains { $0.instant == changed })
        await session.close()
    }

    @Test func undoBeforeLaterEditsIsAttributedToItsDevice() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let count = try await session.perform(.count(stored.place("/nights"), by: 2), in: tree)
        try await session.perform(
            .set(stored.place("/title"), field: nil, TypedText(.string, "Sea")), in: tree)
        try await session.revert(count)
        let rows = try await tree.window(WindowRequest(count: 20)).rows
        let nights = try #require(rows.first { $0.id == stored.place("/nights") })
        #expect(nights.cells[1].text == "7" && nights.cells[3].text == "desk")
        await session.close()
    }

    @Test func editsAreWrittenWhileOthersWrite() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let nights = stored.place("/nights")
        let stored = stored
        async let ben: Void = Task.detached {
            for _ in 1...60 {
                try stored.write("ben") { try $0.increment(obj: .ROOT, key: "nights", by: 1) }
            }
        }.value
        for _ in 1...60 { try await session.perform(.count(nights, by: 1), in: tree) }
        try await ben
        #expect(try stored.json().contains(#""nights":127"#))
        await session.close()
    }

    @Test func editThatOthersBuiltOnIsNotUndone() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let title = try await session.perform(
            .set(stored.place("/title"), field: nil, TypedText(.string, "Sea")), in: tree)
        let made = try await session.perform(
            .add(name: "m", parent: nil, TypedText(.map, "{}")), in: tree)
        try stored.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Lake"))
            guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: "m") else { return }
            try document.put(obj: map, key: "k", value: .Int(1))
        }
        try await session.session.reload()
        let before = try stored.json()
        for applied in [title, made] {
            await #expect { try await session.revert(applied) } throws: {
                ($0 as? EditError)?.code == .builtOn
            }
        }
        #expect(try stored.json() == before)
        await session.close()
    }

    @Test func editOfAChangedValueIsNotWritten() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let previews = [
            try await tree.preview(
                .set(stored.place("/title"), field: nil, TypedText(.string, "Sea"))),
            try await tree.preview(.add(name: "new", parent: nil, TypedText(.null, ""))),
            try await tree.preview(.remove([stored.place("/todos")], field: nil)),
        ]
        try stored.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Lake"))
            try document.put(obj: .ROOT, key: "new", value: .Int(1))
            guard case .Object(let todos, _)? = try document.get(obj: .ROOT, key: "todos") else {
                return
            }
            try document.delete(obj: todos, index: 1)
        }
        try await session.session.reload()
        let before = try stored.json()
        for preview in previews {
            await #expect(throws: EditError.self) { try await tree.apply(preview) }
        }
        #expect(try stored.json() == before)
        await session.close()
    }

    @Test func movedListIsEditedAtItsCurrentPlace() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let todos = try #require(try await tree.open(stored.place("/todos"), at: nil))
        let first = try #require(try await todos.open(stored.place("/todos/0"), at: nil))
        try stored.write("ben") { document in
            guard case .Object(let todos, _)? = try document.get(obj: .ROOT, key: "todos") else {
                return
            }
            let other = try document.insertObject(obj: todos, index: 0, ty: .Map)
            try document.put(obj: other, key: "done", value: .Boolean(false))
        }
        try await session.session.reload()
        try await session.perform(
            .set(stored.place("/todos/0/done"), field: nil, TypedText(.boolean, "true")),
            in: first)
        #expect(
            try stored.json().contains(#"[{"done":false},{"done":true},"b"]"#))
        await session.close()
    }

    /// Makes ben and anna set the first todo's state to different values.
    private func disagree() throws {
        func setDone(_ document: Automerge.Document, _ value: ScalarValue) throws {
            guard case .Object(let todos, _)? = try document.get(obj: .ROOT, key: "todos"),
                case .Object(let first, _)? = try document.get(obj: todos, index: 0)
            else { return }
            try document.put(obj: first, key: "done", value: value)
        }
        let store = try DocumentPackage.open(stored.package, "ben")
        let ben = try #require(try store.openDocument(stored.plans))
        ben.automerge.actor = try DocumentSamples.actor(255)
        try stored.write("anna") { document in
            document.actor = try DocumentSamples.actor(1)
            try setDone(document, .String("almost"))
        }
        try setDone(ben.automerge, .Boolean(true))
        try store.close()
        let name = try PropertyListSerialization.data(
            fromPropertyList: ["deviceName": "Ben's iPad"], format: .xml, options: 0)
        try stored.package.blobs.put(name, at: "info/ben.plist")
    }

    @Test func conflictNamesTheDevicesAndActorsOfItsSides() async throws {
        try disagree()
        let session = try await stored.session()
        _ = try await session.tree(stored.plans)
        let conflicts = try session.source(.conflicts)
        let cells = try #require(try await conflicts.texts().first)
        #expect(cells[0] == "Plans /todos/0/done" && cells[1] == "document")
        #expect(cells[3] == "Ben's iPad" && cells[4] == #""almost" anna"#)
        let row = stored.conflict("/todos/0/done")
        let conflict = try #require(try await conflicts.conflict(of: row, at: nil))
        #expect(conflict.sides.map(\.author.name) == ["ben", "anna"])
        #expect(conflict.sides[0].author == .device(try DeviceID("ben")))
        #expect(conflict.sides[0].reason.contains("of actor ff"))
        let detail = try #require(try await conflicts.detail(of: row, at: nil))
        let written = try #require(detail.sections.last).lines.map { "\($0.label) \($0.text)" }
        #expect(written.contains("device Ben's iPad") && written.contains("actor ff"))
        await session.close()
    }

    @Test func stepThroughADocumentLeadsToThePlaceThroughItsParents() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let todos = try #require(try await tree.open(stored.place("/todos"), at: nil))
        let first = try #require(try await todos.open(stored.place("/todos/0"), at: nil))
        try await session.perform(
            .set(stored.place("/todos/0/done"), field: nil, TypedText(.boolean, "true")),
            in: first)
        let shown = session.session
        var links: [Detail.Link] = []
        var instant: Timestamp? = .distantFuture
        while links.isEmpty, let last = instant {
            instant = try await shown.step(from: last, backwards: true, device: nil)
            guard let instant else { break }
            let writes = try await shown.writes(at: instant, device: nil)
            links = writes.compactMap(\.link).filter { $0.row == stored.place("/todos/0/done") }
        }
        let link = try #require(links.first)
        #expect(link.pane == .documents)
        #expect(
            link.inside
                == [stored.row(stored.plans), stored.place("/todos"), stored.place("/todos/0")])
        await session.close()
    }

    @Test func parentsOfAConflictAreMarkedAndLeadToIt() async throws {
        try disagree()
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let rows = try await tree.window(WindowRequest(query: RowQuery(), count: 100)).rows
        let todos = try #require(rows.first { $0.id == stored.place("/todos") })
        #expect(rows.filter { $0.conflictsInside > 0 } == [todos])
        #expect(todos.conflictsInside == 1 && !todos.isConflict)
        let filtered = try await tree.names(RowQuery(filter: "conflict:yes"))
        #expect(filtered == [todos.id.name])
        let inside = try #require(try await tree.detail(of: todos.id, at: nil))
        let line = try #require(
            inside.sections.flatMap(\.lines).first { $0.text == "1 conflict" })
        #expect(line.link?.row == stored.conflict("/todos/0/done"))
        #expect(line.link?.pane == .conflicts)
        let list = try #require(try await tree.open(todos.id, at: nil))
        let items = try await list.window(WindowRequest(query: RowQuery(), count: 100)).rows
        #expect(items.map(\.conflictsInside) == [1, 0])
        // Before the conflict, nothing was marked.
        let past = RowQuery(instant: Timestamp(Date(timeIntervalSince1970: 1_700_000_000)))
        let then = try await tree.window(WindowRequest(query: past, count: 100)).rows
        #expect(!then.isEmpty && then.allSatisfy { $0.conflictsInside == 0 })
        await session.close()
    }

    @Test(arguments: [0, 1])
    func oneOfSeveralConcurrentValuesIsChosen(_ number: Int) async throws {
        let store = try DocumentPackage.open(stored.package, "ben")
        let ben = try #require(try store.openDocument(stored.plans))
        ben.automerge.actor = try DocumentSamples.actor(255)
        try stored.write("anna") { document in
            document.actor = try DocumentSamples.actor(1)
            try document.put(obj: .ROOT, key: "title", value: .String("Sea"))
        }
        let list = try ben.automerge.putObject(obj: .ROOT, key: "title", ty: .List)
        try ben.automerge.insert(obj: list, index: 0, value: .Uint(7))
        try store.close()
        let session = try await stored.session()
        _ = try await session.tree(stored.plans)
        let conflicts = try session.source(.conflicts)
        #expect(session.session.status.conflictCount == 1)
        let row = stored.conflict("/title")
        #expect(try await conflicts.names() == [row.name])
        let conflict = try #require(try await conflicts.conflict(of: row, at: nil))
        let side = conflict.sides[number]
        let take = Edit.resolve(row, .take(.init(side.author)))
        #expect(
            try await conflicts.preview(take).summary
                == "resolve Plans /title with \(side.author.name)'s value")
        #expect(try await conflicts.detail(of: row, at: nil)?.title == "Plans /title")
        let applied = try await session.perform(take, in: conflicts)
        #expect(try await conflicts.names().isEmpty)
        #expect(session.session.status.conflictCount == 0)
        #expect(try stored.json().contains("\"title\":\(side.value)"))
        let undo = try await session.source(.documents).preview(
            try #require(applied.undo.first))
        #expect(undo.warnings.contains { $0.contains("conflict") })
        try await session.revert(applied)
        #expect(try stored.json().contains("\"title\":[7]"))
        await session.close()
    }

    @Test func concurrentTimesAreParsedAsTimes() async throws {
        let store = try DocumentPackage.open(stored.package, "ben")
        let ben = try #require(try store.openDocument(stored.plans))
        let dates = [0, 86_400].map { Date(timeIntervalSince1970: 1_600_000_000 + $0) }
        try stored.write("anna") {
            try $0.put(obj: .ROOT, key: "title", value: .Timestamp(dates[0]))
        }
        try ben.automerge.put(obj: .ROOT, key: "title", value: .Timestamp(dates[1]))
        try store.close()
        let session = try await stored.session()
        _ = try await session.tree(stored.plans)
        let conflicts = try session.source(.conflicts)
        let row = stored.conflict("/title")
        let conflict = try #require(try await conflicts.conflict(of: row, at: nil))
        let texts = dates.map { TypedText(.timestamp, Timestamp($0).plainISO8601) }
        #expect(Set(conflict.sides.compactMap(\.typed)) == Set(texts))
        // The displayed form can be written.
        _ = try await session.perform(.resolve(row, .value(texts[1])), in: conflicts)
        #expect(try stored.json().contains("\"title\":1600086400000"))
        await session.close()
    }

    @Test func resolvingWithTheCurrentValueCannotBeUndone() async throws {
        let store = try DocumentPackage.open(stored.package, "ben")
        let ben = try #require(try store.openDocument(stored.plans))
        try stored.write("anna") { try $0.put(obj: .ROOT, key: "title", value: .String("Sea")) }
        try ben.automerge.put(obj: .ROOT, key: "title", value: .String("Lake"))
        try store.close()
        let session = try await stored.session()
        _ = try await session.tree(stored.plans)
        let conflicts = try session.source(.conflicts)
        let conflict = try #require(
            try await conflicts.conflict(of: stored.conflict("/title"), at: nil))
        let applied = try await session.perform(
            .resolve(stored.conflict("/title"), .take(.init(conflict.sides[0].author))),
            in: conflicts)
        #expect(try await conflicts.names().isEmpty)
        #expect(applied.undo.isEmpty)
        await session.close()
    }

    @Test func editsRequireWritePermission() async throws {
        let session = try await stored.session(isWritable: false)
        let before = try FolderState(of: stored.path)
        let tree = try await session.tree(stored.plans)
        #expect(tree.info.edits[.set] == .unavailable(because: "read-only; press w to unlock"))
        let edit = Edit.set(stored.place("/title"), field: nil, TypedText(.string, "Sea"))
        let preview = try await tree.preview(edit)
        await #expect(throws: EditError.self) { try await tree.apply(preview) }
        for wrong in [
            Edit.set(stored.place("/nights"), field: nil, TypedText(.counter, "many")),
            .set(stored.place("/nights"), field: nil, TypedText(.counter, "7")),
            .set(stored.place("/gone"), field: nil, TypedText(.null, "")),
            .add(name: "title", parent: nil, TypedText(.null, "")),
            .rename(stored.place("/title"), to: "name"),
        ] {
            await #expect(throws: EditError.self, "\(wrong)") { try await tree.preview(wrong) }
        }
        await session.close()
        #expect(try FolderState(of: stored.path) == before)
    }

    @Test func editWaitingForALockIsListedAndCanBeWithdrawn() async throws {
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let row = stored.place("/title")
        func set(_ text: String) async throws -> AppliedEdit {
            try await session.perform(.set(row, field: nil, TypedText(.string, text)), in: tree)
        }
        _ = try await set("Sea")
        let before = try stored.json()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(
            path: try stored.package.device(DeviceID("desk")).path(of: .documents),
            configuration: configuration)
        try await queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        #expect(try await set("waits").isPending)
        #expect(session.session.status.unsaved?.subjects == ["set Plans /title"])
        #expect(try await session.session.withdraw() == ["set Plans /title"])
        #expect(session.session.status.unsaved == nil)
        #expect(try await tree.texts().map(\.[1]).contains(#""Sea""#))
        // Closing while the lock is held names the lost edit.
        #expect(try await set("lost").isPending)
        await session.close()
        #expect(session.session.status.unsaved?.subjects == ["set Plans /title"])
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
        #expect(try stored.json() == before)
    }
}
