import Automerge
import DocumentStore
import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The panes of a store's documents, used as the screen uses them.
@Suite struct DocumentStorePaneTests {
    @Test func conflictCountIsTheSameBeforeAndAfterOpeningADocument() async throws {
        let stored = try DocumentPackage()
        try stored.disagree()
        let part = DocumentStorePart(package: stored.package, device: nil, isWritable: false)
        let (events, news) = AsyncStream.makeStream(of: SessionEvent.self)
        part.start { news.yield($0) }
        for await _ in events where part.context.store != nil {
            if part.status.hasCountedConflicts { break }
        }
        #expect(part.status.conflictCount == 1)
        #expect(part.context.store?.openDocumentCount == 0)
        let list = try #require(part.panes.first { $0.id == .documents }).source
        let signed = RowQuery(filter: "conflict:yes")
        #expect(try await list.names(signed) == [stored.plans.uuidString])
        _ = try await list.open(RowID(stored.plans.uuidString), at: nil)
        let status = [part.status, part.shown.status]
        #expect(status.reduce(0) { $0 + $1.conflictCount } == 1)
        try stored.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("One")) }
        for await _ in events where part.status.conflictCount == 0 { break }
        await part.close()
    }

    @Test func incompleteCountIsMarked() {
        let counts = DocumentConflictCounts()
        let (short, long) = (UUID(), UUID())
        counts.list([short, long], short: [short])
        #expect(counts.begin() && !counts.begin())
        #expect(counts.next() == short && counts.next() == nil)
        counts.note(2, of: short)
        #expect(counts.total == 2 && !counts.areWhole)
        counts.note(3, of: long)
        #expect(counts.total == 5 && counts.areWhole)
        counts.forget([long])
        #expect(!counts.begin() && counts.total == 2 && !counts.areWhole)
        counts.note(3, of: long)
        counts.forget([short])
        #expect(counts.begin() && counts.next() == short)
        counts.list([long], short: [])
        #expect(counts.total == 3 && counts.areWhole && counts[short] == nil)
    }

    @Test func conflictSidesLinkToTheConflictList() async throws {
        let stored = try DocumentPackage()
        try stored.disagree()
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let detail = try #require(try await tree.detail(of: stored.place("/title"), at: nil))
        let sides = try #require(detail.sections.first { $0.title == "Conflict" }).lines
        #expect(sides.count == 2)
        let link = Detail.Link(pane: .conflicts, row: stored.conflict("/title"))
        #expect(sides.allSatisfy { $0.link == link })
        await session.close()
    }

    @Test func deviceWithAMissingFileKeepsItsLastState() async throws {
        let stored = try DocumentPackage()
        try stored.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("Sea")) }
        let session = try await stored.session()
        let events = EventLog(session.session)
        try FileManager.default.removeItem(
            atPath: try stored.package.device(try DeviceID("ben")).path(of: .documents))
        try await session.session.reload()
        let reported = await events.next {
            if case .device(_, let problem) = $0.kind { problem != nil } else { false }
        }
        #expect(reported?.device?.name == "ben")
        #expect(reported?.summary.contains("was deleted") == true)
        let list = try session.source(.documents)
        #expect(try await list.texts().map(\.[3])[0] == "ben (missing), anna")
        let detail = try await session.detail(.documents, stored.plans.uuidString)
        #expect(detail.lines("Document").contains { $0.contains("missing") })
        await session.close()
    }

    @Test func openedDeviceNamesDocumentsWithChangesThatItHasNotSeen() async throws {
        let stored = try DocumentPackage()
        try stored.disagree()
        let session = try await stored.session()
        let devices = try session.source(.devices)
        let seen = try #require(try await devices.open(RowID("ben"), at: nil))
        let anna = try #require(try await seen.detail(of: RowID("anna"), at: nil))
        let shared = try #require(anna.sections.first { $0.title == "Documents" }).lines
        // Ben has provably seen the plans, but not the receipt and the shopping list.
        #expect(shared[0].text != "0" && shared[1].text != "0")
        #expect(
            Set(shared.dropFirst(2).compactMap(\.link?.row))
                == [stored.row(stored.receipt), stored.row(stored.shopping)])
        let carl = try #require(try await seen.detail(of: RowID("carl"), at: nil))
        let lines = try #require(carl.sections.first { $0.title == "Documents" }).lines
        #expect(lines.prefix(3).map(\.text) == ["never", "0", "1"])
        #expect(
            lines.compactMap(\.link) == [.init(pane: .documents, row: stored.row(stored.plans))])
        await session.close()
    }

    @Test func documentsAreListedByWorkspace() async throws {
        let stored = try DocumentPackage()
        let before = try FolderState(of: stored.path)
        let part = DocumentStorePart(package: stored.package, device: nil, isWritable: false)
        part.start { _ in }
        try await part.reload()
        let list = try #require(part.panes.first { $0.id == .documents }).source
        #expect(
            try await list.names() == [
                stored.plans.uuidString, stored.receipt.uuidString, stored.shopping.uuidString,
            ])
        let texts = try await list.texts()
        #expect(
            texts.map(\.[0]) == [
                "Plans", "Plans › \(stored.receipt.uuidString.prefix(8))…", "Shopping",
            ])
        #expect(texts.map(\.[2]) == ["1", "1", "1"])
        #expect(texts.map(\.[3]) == ["anna", "anna", "anna"])
        #expect(try await list.names(RowQuery(filter: "document:Shop*")).count == 1)
        #expect(try await list.names(RowQuery(filter: "device:anna size>10")).count == 3)
        #expect(try await list.names(RowQuery(filter: "device:ben")).isEmpty)
        let bySize = RowQuery(sort: .init(column: "size", isDescending: true))
        #expect(try await list.names(bySize).first == stored.plans.uuidString)
        let found = try await list.window(
            WindowRequest(
                position: .row(stored.row(stored.shopping), offset: 0, fallback: 0), count: 1))
        #expect(found.found == 2)
        #expect(part.status.counts == [.documents: 3])
        await part.close()
        #expect(try FolderState(of: stored.path) == before)
    }

    @Test func inspectorShowsStoredChunks() async throws {
        let stored = try DocumentPackage()
        try stored.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("Sea")) }
        let session = try await stored.session()
        let detail = try await session.detail(.documents, stored.plans.uuidString)
        #expect(detail.title == "Plans")
        let facts = detail.lines("Document")
        #expect(facts.contains("URL automerge:\(stored.plans.automergeID)"))
        #expect(facts.contains("chunks 2 (snapshots 1, deltas 1)"))
        #expect(facts.contains { $0.hasPrefix("ben 1 chunk, ") })
        #expect(detail.lines("Chunks (2)").map { $0.prefix(8) } == ["anna sna", "ben delt"])
        let content = detail.lines("Content")
        #expect(content.contains("changes 2"))
        #expect(content.contains { $0.hasPrefix("combined ") && $0.contains("as one snapshot") })
        #expect(content.contains { $0.hasPrefix("heads ") })
        let receipt = try await session.detail(.documents, stored.receipt.uuidString)
        #expect(
            receipt.sections.flatMap(\.lines).compactMap(\.link)
                == [.init(pane: .documents, row: stored.row(stored.plans))])
        await session.close()
    }

    @Test func devicesWithTheSameShareAreSortedByName() async throws {
        let stored = try DocumentPackage()
        for device in ["eve", "cid", "dan", "ben", "fay"] {
            try stored.write(device) {
                try $0.put(obj: .ROOT, key: "by", value: .String(device))
            }
        }
        let session = try await stored.session()
        let writers = try await session.detail(.documents, stored.plans.uuidString)
            .lines("Document").filter { $0.contains(" chunk") }
        #expect(writers.map { $0.prefix(3) } == ["ann", "ben", "cid", "dan", "eve", "fay"])
        await session.close()
    }

    @Test func pendingEditsAreListedInOrder() throws {
        let stored = try DocumentPackage()
        let part = DocumentStorePart(package: stored.package, device: nil, isWritable: false)
        let documents = (0..<8).map { _ in UUID() }
        for id in documents {
            part.context.noteWaiting(
                id, UnsavedChanges(subjects: [id.uuidString], reason: "locked"))
        }
        let sorted = documents.sorted()
        #expect(part.context.waitingDocuments == sorted)
        #expect(part.context.unsaved?.subjects == sorted.map(\.uuidString))
    }

    @Test func documentOpensItsTreeHistoryAndConflicts() async throws {
        let stored = try DocumentPackage()
        let session = try await stored.session()
        #expect(!session.session.panes.contains { $0.id == .documentHistory })
        let tree = try await session.tree(stored.plans)
        let history = try session.source(.documentHistory)
        #expect(tree.title == "Plans")
        #expect(
            try await tree.names()
                == ["/nights", "/text", "/title", "/todos"].map {
                    stored.plans.uuidString + $0
                })
        let todos = try #require(try await tree.open(stored.place("/todos"), at: nil))
        #expect(try await todos.texts().map(\.[1]) == [#"{"done":false}"#, #""b""#])
        let detail = try #require(try await tree.detail(of: stored.place("/title"), at: nil))
        #expect(detail.title == "/title")
        let link = try #require(detail.sections.flatMap(\.lines).compactMap(\.link).first)
        #expect(link.pane == .documentHistory)
        #expect(history.info.subject == "Plans")
        #expect(try await history.names() == [link.row.name])
        #expect(try await session.names(.conflicts).isEmpty)
        #expect(session.session.status.counts[.documentHistory] == 1)
        _ = try await session.tree(stored.receipt)
        #expect(history.info.subject?.hasPrefix("Plans › ") == true)
        #expect(try await history.names() != [link.row.name])
        // The list that is still open belongs to its own document.
        #expect(try await tree.names().count == 4)
        await session.close()
    }

    @Test func writesOfAnotherDeviceUpdateListAndTree() async throws {
        let stored = try DocumentPackage()
        let session = try await stored.session()
        let events = EventLog(session.session)
        let tree = try await session.tree(stored.plans)
        _ = try await tree.texts()
        let committed = Date(timeIntervalSince1970: 1_700_000_000)
        try stored.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Sea"))
            document.commitWith(message: "a name", timestamp: committed)
        }
        let places: Set = [stored.place("/title")]
        let inside = await events.next {
            if case .changed(.documents, let rows, false) = $0.kind {
                Set(rows.keys) == places
            } else {
                false
            }
        }
        #expect(inside?.summary == "Plans: ~1 /title")
        #expect(inside?.device?.name == "ben")
        #expect(inside?.elsewhere[.documentHistory]?.count == 1)
        #expect(inside?.written?.date == committed)
        #expect(try await tree.texts().map(\.[1]).contains(#""Sea""#))
        let second = try DocumentPackage.open(stored.package, "ben")
        _ = try second.newWorkspace(named: "Later")
        try second.close()
        let listed = await events.next {
            if case .changed(.documents, let rows, _) = $0.kind {
                rows.values.contains(.new)
            } else {
                false
            }
        }
        let written = try #require(listed?.written)
        #expect(abs(written.date.timeIntervalSinceNow) < 600)
        #expect(try await session.names(.documents).count == 4)
        #expect(session.session.status.counts[.documents] == 4)
        await session.close()
    }

    @Test func keysOfAMapAreInNaturalOrder() async throws {
        let stored = try DocumentPackage()
        try stored.write("ben") { document in
            for key in ["k10", "k9"] {
                try document.put(obj: .ROOT, key: key, value: .String("x"))
            }
        }
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let rows = try await tree.texts()
        let keys = rows.map { $0[0] }
        #expect(keys == ["k9", "k10", "nights", "text", "title", "todos"])
        let window = try await tree.window(
            WindowRequest(
                position: .row(stored.place("/k10"), offset: 0, fallback: 0), count: 1))
        #expect(window.start == 1 && window.rows.first?.id == stored.place("/k10"))
        await session.close()
    }

    @Test func documentIsShownAsOfAChange() async throws {
        let stored = try DocumentPackage()
        try stored.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("Sea")) }
        let session = try await stored.session()
        let tree = try await session.tree(stored.plans)
        let first = try Timestamp(parsing: "2023-11-14T22:13:20Z")
        let then = try await tree.texts(RowQuery(instant: first))
        #expect(then.map(\.[1]).contains(#""Trip""#))
        #expect(
            try await session.session.step(from: .distantPast, backwards: false, device: nil)
                == first)
        let timeline = try await session.session.timeline(buckets: 4)
        #expect(Set(timeline.activity.keys.map(\.name)) == ["anna", "ben"])
        await session.close()
    }

    @Test func damagedFileNamesItsDeviceAndOthersAreShown() async throws {
        let stored = try DocumentPackage()
        let ben = try DocumentPackage.open(stored.package, "ben")
        _ = try ben.newWorkspace(named: "Of ben")
        try ben.close()
        let file = try stored.package.device(DeviceID("ben")).path(of: .documents)
        let bytes = try Data(contentsOf: URL(filePath: file))
        try (Data(count: 4096) + bytes.dropFirst(4096)).write(to: URL(filePath: file))
        let session = try await stored.session()
        #expect(try await session.names(.documents).count == 3)
        let problems = session.session.status.problems
        #expect(problems.contains { $0.hasPrefix("ben: documents: ") })
        #expect(session.session.status.devices.first { $0.id.name == "ben" }?.state != "ok")
        #expect(try await session.tree(stored.plans).names().count == 4)
        await session.close()
    }

    @Test func firstDocumentIsAddedToAPackageWithoutDocuments() async throws {
        let shared = try SharedPackage(hasStory: false)
        let session = try await PaneSession(shared.path, isWritable: false)
        try await session.session.reload()
        #expect(!session.session.panes.contains { $0.id.part == "documents" })
        session.session.setWritable(true)
        #expect(session.session.panes.filter { $0.id.part == "documents" }.count == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(shared.path)/Devices/desk"))
        let list = try session.source(.documents)
        let edit = Edit.add(name: "Plans", parent: nil, TypedText(.map, #"{"a":1}"#))
        let preview = try await list.preview(edit)
        #expect(preview.file == "Devices/desk/Documents.db")
        #expect(preview.createsDevice)
        let applied = try await list.apply(preview)
        #expect(try await list.texts().map(\.[0]) == ["Plans"])
        try await session.session.reload()
        #expect(session.session.status.counts[.documents] == 1)
        let renamed = try await session.perform(
            .rename(try #require(applied.rows.first), to: "Trips"), in: list)
        #expect(try await list.texts().map(\.[0]) == ["Trips"])
        try await session.revert(renamed)
        try await session.revert(applied)
        #expect(try await list.texts().isEmpty)
        await session.close()
    }
}

/// The same panes for stores outside of packages.
@Suite struct DocumentFolderPaneTests {
    @Test func storageFolderIsListedEditedAndWatched() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("amrg")
        let store = try AutomergeStore(creatingStorageFolder: path)
        let document = Automerge.Document()
        try document.put(obj: .ROOT, key: "foo", value: .String("bar"))
        let id = try store.newWorkspace(index: document).id
        try store.close()
        let session = try await PaneSession(path)
        try await session.session.reload()
        #expect(session.session.panes.map(\.id) == [.documents, .conflicts])
        #expect(try await session.names(.documents) == [id.automergeID])
        #expect(!session.session.panes[0].source.columns.contains { $0.id == "device" })
        let list = try session.source(.documents)
        let tree = try #require(try await list.open(RowID(id.automergeID), at: nil))
        let row = RowID("\(id.automergeID)/foo")
        let preview = try await tree.preview(
            .set(row, field: nil, TypedText(.string, "baz")))
        #expect(preview.file?.hasPrefix(String(id.automergeID.prefix(2)) + "/") == true)
        let applied = try await tree.apply(preview)
        let again = try AutomergeStore(storageFolder: path, isWritable: false)
        #expect(
            try DocumentView(try #require(try again.openDocument(id))).json()
                == #"{"foo":"baz"}"#)
        try await session.revert(applied)
        #expect(try await tree.texts().map(\.[1]) == [#""bar""#])
        let events = EventLog(session.session)
        let other = try AutomergeStore(storageFolder: path)
        let held = try #require(try other.openDocument(id))
        try held.automerge.put(obj: .ROOT, key: "new", value: .Int(1))
        try held.save()
        let news = RowID("\(id.automergeID)/new")
        let seen = await events.next {
            if case .changed(.documents, let rows, false) = $0.kind {
                rows[news] == .new
            } else {
                false
            }
        }
        #expect(seen != nil)
        #expect(try await tree.names().contains(news.name))
        await session.close()
    }

    @Test func coreDataFileIsReadOnly() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("private.sqlite")
        let document = Automerge.Document()
        try document.put(obj: .ROOT, key: "foo", value: .String("bar"))
        let id = UUID()
        let key = withUnsafeBytes(of: id.uuid) { Data($0) }
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE ZWORKSPACEMO (Z_PK INTEGER PRIMARY KEY, ZNAME VARCHAR, ZID BLOB);
                    CREATE TABLE ZCHUNKMO (Z_PK INTEGER PRIMARY KEY, ZISSNAPSHOT INTEGER,
                        ZSIZE INTEGER, ZWORKSPACE INTEGER, ZDATA BLOB, ZDOCUMENTID BLOB, ZID BLOB,
                        ZWORKSPACEID BLOB);
                    """)
            try db.execute(
                sql: "INSERT INTO ZWORKSPACEMO VALUES (1, 'Plans', ?)", arguments: [key])
            try db.execute(
                sql: "INSERT INTO ZCHUNKMO VALUES (1, 1, 0, 1, ?, ?, ?, ?)",
                arguments: [Data([1]) + document.save(), key, key, key])
        }
        try queue.close()
        let before = try FolderState(of: folder.path)
        let session = try await PaneSession(path)
        try await session.session.reload()
        #expect(try await session.source(.documents).texts().map(\.[0]) == ["Plans"])
        let tree = try await session.tree(id)
        #expect(try await tree.texts().map(\.[1]) == [#""bar""#])
        #expect(try #require(tree.info.edits[.set]) != .available)
        await #expect(throws: EditError.self) {
            try await session.perform(
                .set(RowID(id.uuidString + "/foo"), field: nil, TypedText(.string, "x")),
                in: tree)
        }
        await session.close()
        #expect(try FolderState(of: folder.path) == before)
    }

    @Test func historyNamesTheDeviceOfAnActor() async throws {
        let sample = try DocumentPackage()
        try sample.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("Rome")) }
        let pane = try await sample.session()
        _ = try await pane.tree(sample.plans)
        let newest = try #require(try await pane.rows(.documentHistory).first)
        #expect(newest.cells[1].text == "ben")
        #expect(try await pane.rows(.documentHistory, RowQuery(filter: "actor:ben")).count == 1)
        let lines = try await pane.detail(.documentHistory, newest.id.name).lines("Change")
        #expect(lines.contains("device ben"))
        let actor = try #require(lines.first { $0.hasPrefix("actor ") })
        #expect(actor.count == 6 + 32)
        let digits = RowQuery(filter: "actor:\(actor.dropFirst(6).prefix(6))")
        #expect(try await pane.rows(.documentHistory, digits).count == 1)
        await pane.close()
    }

    @Test func baseIsTheValueThatBothSidesReplaced() async throws {
        let sample = try DocumentPackage()
        let stores = try ["ben", "cleo"].map { try DocumentPackage.open(sample.package, $0) }
        for (store, title) in zip(stores, ["Rome", "Oslo"]) {
            let document = try #require(try store.openDocument(sample.plans))
            try document.automerge.put(obj: .ROOT, key: "title", value: .String(title))
        }
        for store in stores { try store.close() }
        let pane = try await sample.session()
        _ = try await pane.tree(sample.plans)
        let row = sample.conflict("/title")
        let conflict = try #require(
            try await pane.source(.conflicts).conflict(of: row, at: nil))
        #expect(Set(conflict.sides.map(\.typed?.text)) == ["\"Rome\"", "\"Oslo\""])
        #expect(conflict.base?.typed?.text == "\"Trip\"")
        await pane.close()
    }
}
