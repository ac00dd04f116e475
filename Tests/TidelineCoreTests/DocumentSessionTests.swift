import Automerge
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The browser's panes over one Automerge file.
@Suite struct DocumentSessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func session(_ document: Document) async throws -> any StoreSession {
        let path = try DocumentSamples.write(document, to: folder)
        let session = try StoreOpener(device: nil).open(path)
        try await session.reload()
        return session
    }

    private func source(_ pane: PaneID, _ session: any StoreSession) throws -> any RowSource {
        try #require(session.panes.first { $0.id == pane }).source
    }

    private func rows(
        _ source: any RowSource, _ query: RowQuery = RowQuery()
    ) async throws -> [Row] {
        try await source.window(WindowRequest(query: query, count: 100)).rows
    }

    @Test func treeExpandsLevelByLevel() async throws {
        let session = try await session(try DocumentSamples.conflicting())
        let tree = try source(.documents, session)
        #expect(try await rows(tree).map(\.id) == [RowID("/a")])
        let inner = try #require(try await tree.open(RowID("/a"), at: nil))
        let row = try #require(try await rows(inner).first)
        #expect(row.id == RowID("/a/b~0~1c"))
        #expect(row.isConflict)
        #expect(row.cells.map(\.text).prefix(4) == ["b~/c", #"{"k":1}"#, "map", "02"])
        let innermost = try #require(try await inner.open(row.id, at: nil))
        #expect(try await rows(innermost).map(\.id) == [RowID("/a/b~0~1c/k")])
        #expect(try await innermost.open(RowID("/a/b~0~1c/k"), at: nil) == nil)
        await session.close()
    }

    @Test func bytesAreSavedAsTheyAreAndTextsWithoutQuotationMarks() async throws {
        let document = try DocumentSamples.document(1)
        try document.put(obj: .ROOT, key: "bytes", value: .Bytes(Data([0, 255])))
        try document.put(obj: .ROOT, key: "count", value: .Int(5))
        try document.put(obj: .ROOT, key: "string", value: .String("a\n\"b\""))
        let session = try await session(document)
        let tree = try source(.documents, session)
        for (row, saved) in [
            ("/bytes", Data([0, 255])), ("/count", Data("5".utf8)),
            ("/string", Data("a\n\"b\"".utf8)),
        ] {
            var data = Data()
            let isSaved = try await tree.writeValue(of: RowID(row), at: nil) {
                data.append(contentsOf: $0)
            }
            #expect(isSaved && data == saved, "\(row)")
        }
        let isSaved = try await tree.writeValue(of: RowID("/missing"), at: nil) { _ in }
        #expect(!isSaved)
        await session.close()
    }

    @Test func textsAreQuotedAndTruncatedAsInKeys() async throws {
        let document = try DocumentSamples.document(1)
        let long = try document.putObject(obj: .ROOT, key: "long", ty: .Text)
        try document.spliceText(
            obj: long, start: 0, delete: 0, value: String(repeating: "👩‍🚀", count: 500))
        try document.put(obj: .ROOT, key: "string", value: .String("one\n\"two\""))
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "a\nb")
        let session = try await session(document)
        let shown = try await rows(source(.documents, session)).map(\.cells[1].text)
        // The screen shows the line breaks as signs.
        #expect(shown.dropFirst() == ["\"one\n\"two\"\"", "\"a\nb\""])
        #expect(shown[0].hasPrefix("\"👩‍🚀") && shown[0].hasSuffix("…"))
        #expect(shown[0].unicodeScalars.count <= PropertyList.longestLine + 2)
        await session.close()
    }

    @Test func listShowsTheRequestedWindow() async throws {
        let document = try DocumentSamples.document(1)
        let list = try document.putObject(obj: .ROOT, key: "l", ty: .List)
        for index in 0..<1000 as Range<UInt64> {
            try document.insert(obj: list, index: index, value: .Int(Int64(index)))
        }
        let session = try await session(document)
        let inner = try #require(try await source(.documents, session).open(RowID("/l"), at: nil))
        let window = try await inner.window(
            WindowRequest(position: .row(RowID("/l/500"), offset: 1, fallback: 0), count: 3))
        #expect(window.rows.map(\.id.name) == ["/l/499", "/l/500", "/l/501"])
        #expect(window.found == 500)
        #expect(window.total == 1000)
        let found = try await rows(inner, RowQuery(filter: "key:77*"))
        #expect(found.count == 11)
        await session.close()
    }

    @Test func conflictTimeIsTheSameInDialogAndInspector() async throws {
        // The clock of `02` is years behind that of `01`, on whose change it depends. The other
        // side of the conflict has no time.
        let session = try await session(try DocumentSamples.conflicting())
        let conflicts = try source(.conflicts, session)
        let row = try #require(try await rows(conflicts).first)
        let conflict = try #require(try await conflicts.conflict(of: row.id, at: nil))
        let detail = try #require(try await conflicts.detail(of: row.id, at: nil))
        let time = try #require(detail.lines("Written").first { $0.hasPrefix("time ") })
        #expect(time == "time \(conflict.sides[0].instant.fullText)")
        #expect(conflict.sides[0].instant == Timestamp(Date(timeIntervalSince1970: 900_000_000)))
        #expect(conflict.sides[1].reason.hasSuffix("time not recorded"))
        let history = try await rows(try source(.documentHistory, session))
        #expect(
            history.contains {
                $0.cells[3].text == "theirs" && $0.cells[2].text == "1998-07-09T16:00:00Z"
            })
        await session.close()
    }

    @Test func conflictsNameTheWriterOfEachValue() async throws {
        let session = try await session(try DocumentSamples.conflicting())
        #expect(session.status.conflictCount == 1)
        let conflicts = try source(.conflicts, session)
        let row = try #require(try await rows(conflicts).first)
        let conflict = try #require(try await conflicts.conflict(of: row.id, at: nil))
        #expect(conflict.sides.map(\.author.name) == ["02", "01"])
        #expect(conflict.sides.map(\.value) == [#"{"k":1}"#, #""mine""#])
        #expect(conflict.sides.map(\.isWinner) == [true, false])
        #expect(conflict.base == nil && conflict.isWithoutBase)
        await session.close()
    }

    @Test func documentIsShownAsOfEveryChange() async throws {
        let session = try await session(try DocumentSamples.conflicting())
        let (tree, log) = (
            try source(.documents, session), try source(.documentHistory, session)
        )
        #expect(try await rows(log).count == 3)
        let first = try #require(
            try await session.step(from: .distantPast, backwards: false, device: nil))
        #expect(try await rows(log, RowQuery(instant: first)).count == 1)
        let row = try #require(try await rows(tree, RowQuery(instant: first)).first)
        #expect(row.cells[1].text == "{}")
        #expect(!row.isConflict)
        let early = Timestamp(microseconds: first.microseconds - 1)
        #expect(try await rows(tree, RowQuery(instant: early)).isEmpty)
        #expect(
            try await session.step(from: first, backwards: true, device: nil) == nil)
        let timeline = try await session.timeline(buckets: 10)
        #expect(timeline.activity.mapValues { $0.reduce(0, +) }.values.sorted() == [1, 2])
        await session.close()
    }

    @Test func changeDescribesItsEdits() async throws {
        let session = try await session(try DocumentSamples.conflicting())
        let log = try source(.documentHistory, session)
        let row = try #require(try await rows(log).first { $0.cells[3].text == "theirs" })
        let detail = try #require(try await log.detail(of: row.id, at: nil))
        let did = try #require(detail.sections.first { $0.title == "Edits" })
        #expect(did.lines.map(\.text) == ["/a/b~0~1c = a map", "/a/b~0~1c/k = 1"])
        let behind = try #require(detail.sections.first { $0.title == "Based on" })
        #expect(behind.lines.first?.link?.pane == .documentHistory)
        let all = try await rows(log)
        for (index, row) in all.enumerated() {
            let detail = try #require(try await log.detail(of: row.id, at: nil))
            #expect(
                detail.lines("Change").contains(
                    "position \(index + 1) of \(all.count) changes, newest first"))
        }
        await session.close()
    }

    @Test func replacedFileIsReloadedAndADamagedOneKeepsTheOldState() async throws {
        let document = try DocumentSamples.conflicting()
        let session = try await session(document)
        var events = session.events().makeAsyncIterator()
        func nextChange() async -> SessionEvent? {
            while let event = await events.next() {
                if case .changed = event.kind { return event }
            }
            return nil
        }
        try document.put(obj: .ROOT, key: "new", value: .Int(1))
        let temporary = folder.appending("other")
        try document.save().write(to: URL(filePath: temporary))
        guard rename(temporary, session.path) == 0 else {
            Issue.record("the file cannot be replaced")
            return
        }
        let event = try #require(await nextChange())
        #expect(event.kind == .changed(.documents, rows: [RowID("/new"): .new], isOwn: false))
        #expect(event.summary == "+1 /new")
        let tree = try source(.documents, session)
        #expect(try await rows(tree).map(\.id.name) == ["/a", "/new"])
        try Data(document.save().dropLast(3)).write(to: URL(filePath: session.path))
        await #expect(throws: SessionFailure.self) { try await session.reload() }
        #expect(try await rows(tree).count == 2)
        #expect(session.status.problems.count == 1)
        try document.save().write(to: URL(filePath: session.path))
        try await session.reload()
        #expect(session.status.problems.isEmpty)
        await session.close()
    }

    @Test func deletedFileIsReportedAndReadAgainOnceItReturns() async throws {
        let document = try DocumentSamples.conflicting()
        let session = try await session(document)
        let events = EventLog(session)
        let tree = try source(.documents, session)
        try FileManager.default.removeItem(atPath: session.path)
        _ = try #require(await events.next { $0.kind == .deleted })
        #expect(session.status.phase == .missing)
        #expect(try await rows(tree).map(\.id.name) == ["/a"])
        try document.put(obj: .ROOT, key: "new", value: .Int(1))
        try document.save().write(to: URL(filePath: session.path))
        _ = try #require(await events.next { $0.kind == .returned })
        let change = SessionEvent.Kind.changed(
            .documents, rows: [RowID("/new"): .new], isOwn: false)
        _ = try #require(await events.next { $0.kind == change })
        #expect(session.status.phase == .live)
        #expect(try await rows(tree).map(\.id.name) == ["/a", "/new"])
        await session.close()
    }

    @Test func unreadableFileFailsWithItsReason() async throws {
        let path = folder.appending("x.automerge")
        try Data([0x85, 0x6F, 0x4A, 0x83, 1, 2]).write(to: URL(filePath: path))
        let session = try StoreOpener(device: nil).open(path)
        await #expect(throws: SessionFailure.self) { try await session.reload() }
        guard case .failed(let failure) = session.status.phase else {
            Issue.record("\(session.status.phase)")
            return
        }
        #expect(failure.category == .badData)
        #expect(!failure.reason.isEmpty)
        for pane in session.panes { #expect(try await rows(pane.source).isEmpty) }
        await session.close()
    }
}
