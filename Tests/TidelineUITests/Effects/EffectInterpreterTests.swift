import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

@Suite(.timeLimit(.minutes(30))) struct EffectInterpreterTests {
    /// An interpreter, with its answers available one after another.
    private final class Harness: Sendable {
        let interpreter: EffectInterpreter
        let messages: AsyncStream<Message>

        init(_ session: FakeSession, openStores: [String] = []) {
            let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
            messages = stream
            interpreter = EffectInterpreter(
                session: session, opener: { _ in throw CoreError(.noAnswer, "it is opened") },
                openStores: openStores
            ) { continuation.yield($0) }
        }

        func next<Value>(_ pick: (Message) -> Value?) async -> Value? {
            for await message in messages {
                if let value = pick(message) { return value }
            }
            return nil
        }
    }

    private func snapshot(_ harness: Harness) async -> SessionSnapshot? {
        await harness.next { if case .session(let snapshot) = $0 { snapshot } else { nil } }
    }

    @Test func eventsArriveAfterTheirSnapshot() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let harness = Harness(session)
        harness.interpreter.start()
        let first = await snapshot(harness)
        #expect(first?.panes.map(\.id) == [.keys])
        session.status.conflictCount = 9
        session.emit(SessionEvent(.loaded, date: Date()))
        var order: [String] = []
        _ = await harness.next { message -> Bool? in
            switch message {
            case .session(let snapshot): order.append("state \(snapshot.status.conflictCount)")
            case .event: order.append("event")
            default: break
            }
            return order.count == 2 ? true : nil
        }
        #expect(order == ["state 9", "event"])
        harness.interpreter.stop()
    }

    @Test func failedReloadIsReported() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let harness = Harness(session)
        harness.interpreter.start()
        var notices: [Notice?] = []
        for failure in [nil, CoreError(.noAnswer, "the log is damaged")] {
            session.reloadFailure = failure
            _ = harness.interpreter.run([.reload()])
            notices.append(
                await harness.next { if case .notice(let notice) = $0 { notice } else { nil } })
        }
        #expect(
            notices == [
                Notice(.done, "reloaded"),
                Notice(.error, "reload incomplete: the log is damaged"),
            ])
        harness.interpreter.stop()
    }

    @Test func linkToAnOpenStoreOpensNoSecondCopy() async throws {
        let folder = try TemporaryFolder()
        let store = folder.appending("Notes.store")
        try Data().write(to: URL(filePath: store))
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending("link"), withDestinationPath: store)
        let harness = Harness(
            try Sample.session(keys: try Sample.notes()), openStores: ["/other", store])
        var answers: [String] = []
        for name in ["link", "Notes.store", "x/../Notes.store", "Other.store"] {
            _ = harness.interpreter.run([.openStore(RequestID(1), path: folder.appending(name))])
            answers.append(
                await harness.next { message in
                    guard case .storeOpened(_, let answer) = message else { return nil }
                    switch answer {
                    case .success(let path): return path
                    case .failure(let failure): return failure.message
                    }
                } ?? "")
        }
        #expect(answers == [store, store, store, "it is opened"])
    }

    @Test func answerCarriesItsRequestNumber() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let harness = Harness(session)
        harness.interpreter.start()
        let source = try #require(await snapshot(harness)?.panes.first?.source.id)
        let requests = harness.interpreter.run([
            .window(RequestID(7), source, WindowRequest(count: 2)), .terminal(.redraw),
        ])
        #expect(requests == [.redraw])
        let answer = await harness.next { message -> (RequestID, Int)? in
            guard case .window(let id, .success(let window)) = message else { return nil }
            return (id, window.rows.count)
        }
        #expect(answer?.0 == RequestID(7))
        #expect(answer?.1 == 2)
        harness.interpreter.stop()
    }

    @Test func failureKeepsItsDetails() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let harness = Harness(session)
        harness.interpreter.start()
        let source = try #require(await snapshot(harness)?.panes.first?.source.id)
        let request = WindowRequest(query: RowQuery(filter: "value~/[/"), count: 2)
        _ = harness.interpreter.run([.window(RequestID(1), source, request)])
        let failure = await harness.next { message -> RequestFailure? in
            guard case .window(_, .failure(let failure)) = message else { return nil }
            return failure
        }
        #expect(failure?.filterRange != nil)
        let edit = Edit.set(RowID("note/1/title"), field: nil, TypedText(.integer, "x"))
        _ = harness.interpreter.run([.preview(RequestID(2), source, [edit])])
        let refusal = await harness.next { message -> RequestFailure? in
            guard case .previewed(_, .failure(let failure)) = message else { return nil }
            return failure
        }
        #expect(refusal?.editCode == .invalid)
        harness.interpreter.stop()
    }

    @Test func closedListReportsItself() async throws {
        let harness = Harness(try Sample.session(keys: try Sample.notes()))
        _ = harness.interpreter.run([
            .detail(RequestID(1), SourceID(99), RowID("x"), .row, RowQuery())
        ])
        let failure = await harness.next { message -> RequestFailure? in
            guard case .detail(_, .failure(let failure)) = message else { return nil }
            return failure
        }
        #expect(failure?.kind == .other && failure?.message.contains("closed") == true)
    }

    @Test func editsAreWrittenUpToTheFirstFailure() async throws {
        let keys = try Sample.notes()
        let harness = Harness(try Sample.session(keys: keys))
        harness.interpreter.start()
        let source = try #require(await snapshot(harness)?.panes.first?.source.id)
        var previews: [EditPreview] = []
        for name in ["note/1/title", "note/2/body", "note/2/title"] {
            let edit = Edit.set(RowID(name), field: nil, TypedText(.string, "new"))
            previews.append(try await keys.preview(edit))
        }
        keys.entries[2].value = "moved"
        _ = harness.interpreter.run([
            .apply(RequestID(3), source, previews, JournalNote(pane: "keys", direction: .edit))
        ])
        let answer = await harness.next { message -> (Int, [EditPreview], EditError.Code?)? in
            guard case .applied(_, let applied, let left, let failure) = message else { return nil }
            return (applied.count, left, failure?.editCode)
        }
        #expect(answer?.0 == 1)
        #expect(answer?.1 == Array(previews.dropFirst()))
        #expect(answer?.2 == .moved)
        #expect(keys.entries.map(\.value) == ["3", "new", "moved", "日本"])
        harness.interpreter.stop()
    }

    @Test func alertRingsOnceAndCanBeMoved() async throws {
        let harness = Harness(try Sample.session(keys: try Sample.notes()))
        _ = harness.interpreter.run([
            .wake(.deletedRows, after: .seconds(3_600)), .wake(.deletedRows, after: .zero),
        ])
        let alarm = await harness.next { if case .woke(let alarm) = $0 { alarm } else { nil } }
        #expect(alarm == .deletedRows)
        harness.interpreter.stop()
    }
}

@Suite struct DifferenceTests {
    /// A list whose contents change at an instant.
    private final class TwoStates: RowSource {
        let info: ListInfo
        let before: RowList
        let after: RowList

        static let columns = [
            Column("key", "Key"), Column("value", "Value"), Column("age", "Age"),
        ]

        init(_ before: [(String, String)], _ after: [(String, String)]) {
            info = ListInfo("Keys", columns: Self.columns)
            self.before = Self.list(before, 1)
            self.after = Self.list(after, 2)
        }

        private static func list(_ rows: [(String, String)], _ age: Int64) -> RowList {
            RowList(
                rows.map { name, value in
                    Row(
                        id: RowID(name),
                        cells: [
                            RowCell(name), RowCell(value),
                            RowCell("", instant: Timestamp(microseconds: age)),
                        ])
                })
        }

        init(_ before: [Row], _ after: [Row], columns: [Column] = TwoStates.columns) {
            info = ListInfo("Keys", columns: columns)
            self.before = RowList(before)
            self.after = RowList(after)
        }

        func window(_ request: WindowRequest) async throws -> RowWindow {
            let isBefore = request.query.instant.map { $0.microseconds < 5 } ?? false
            return try await (isBefore ? before : after).window(request)
        }

        func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? { nil }
    }

    @Test func addedChangedAndDeletedRowsAreReported() async throws {
        let source = TwoStates(
            [("a", "1"), ("b", "2"), ("d", "4")], [("a", "1"), ("b", "3"), ("c", "5")])
        let difference = try await TimeComparisonSource(
            of: source, query: RowQuery(), from: Timestamp(microseconds: 1),
            to: Timestamp(microseconds: 9), offset: 0)
        let window = try await difference.window(WindowRequest(count: 10))
        #expect(
            window.rows.map { $0.cells.map(\.text) } == [
                ["changed", "b", "2", "3"], ["added", "c", "", "5"], ["removed", "d", "4", ""],
            ])
        let detail = try await difference.detail(of: RowID("b"), at: nil)
        #expect(detail?.sections.first?.lines.map(\.text) == ["changed", "b", "2", "3"])
        #expect(
            detail?.sections.first?.lines.map(\.label).suffix(2) == [
                "2001-01-01 00:00:00.000001Z", "2001-01-01 00:00:00.000009Z",
            ])
    }

    @Test func differencesAreInNaturalOrder() async throws {
        let source = TwoStates(
            [("n/1", "x")], [("n/1", "y"), ("n/10", "x"), ("n/2", "x"), ("n/9", "x")])
        let difference = try await TimeComparisonSource(
            of: source, query: RowQuery(), from: Timestamp(microseconds: 1),
            to: Timestamp(microseconds: 9), offset: 0)
        let rows = try await difference.window(WindowRequest(count: 10)).rows
        #expect(rows.map(\.cells[1].text) == ["n/1", "n/2", "n/9", "n/10"])
        #expect(rows.first?.shownName == "n/1")
    }

    @Test func longTextsStartAtTheirDifference() async throws {
        let same = "a shopping list for the whole family for the week: "
        let source = TwoStates([("b", same + "milk")], [("b", same + "eggs")])
        let difference = try await TimeComparisonSource(
            of: source, query: RowQuery(), from: Timestamp(microseconds: 1),
            to: Timestamp(microseconds: 9), offset: 0)
        let row = try await difference.window(WindowRequest(count: 10)).rows[0]
        #expect(row.cells.map(\.text) == ["changed", "b", "…e week: milk", "…e week: eggs"])
        let detail = try await difference.detail(of: RowID("b"), at: nil)
        #expect(detail?.sections.first?.lines.map(\.text).last == same + "eggs")
        // Copying also uses the full text.
        let forms = try await difference.copyForms(of: RowID("b"), at: nil)
        #expect(forms.map(\.name) == ["after", "before", "row"])
        #expect(forms.map(\.text).prefix(2) == [same + "eggs", same + "milk"])
        #expect(forms[2].text == "changed\tb\t\(same)milk\t\(same)eggs")
    }

    @Test func differingTypesAreListedAndWritersAreInTheInspector() async throws {
        func row(_ value: String, _ type: String, _ device: String) throws -> Row {
            Row(
                id: RowID("b"),
                cells: [
                    RowCell("b", .key), RowCell(value, .number), RowCell(type, .dim),
                    RowCell(device, .device),
                ], device: try DeviceID(device))
        }
        let columns = ["key", "value", "type", "device"].map { Column($0, $0.uppercased()) }
        func difference(_ before: Row?, _ after: Row?) async throws -> TimeComparisonSource {
            try await TimeComparisonSource(
                of: TwoStates(
                    before.map { [$0] } ?? [], after.map { [$0] } ?? [], columns: columns),
                query: RowQuery(), from: Timestamp(microseconds: 1),
                to: Timestamp(microseconds: 9), offset: 0)
        }
        let changed = try await difference(
            row("9", "integer", "anna"), row("6", "integer", "ben"))
        let cells = try await changed.window(WindowRequest(count: 10)).rows[0].cells
        #expect(cells.map(\.text) == ["changed", "b", "9", "6"])
        let detail = try #require(try await changed.detail(of: RowID("b"), at: nil))
        #expect(
            detail.sections[0].lines.dropFirst(2).map { "\($0.label) \($0.text)" }.filter {
                $0.hasSuffix("wrote it")
            } == ["anna wrote it", "ben wrote it"])
        let retyped = try await difference(
            row("9", "integer", "anna"), row("9.0", "real", "anna"))
        #expect(
            try await retyped.window(WindowRequest(count: 10)).rows[0].cells.map(\.text)
                == ["changed", "b", "9, type: integer", "9.0, type: real"])
        let added = try await difference(nil, row("6", "integer", "ben"))
        #expect(
            try await added.window(WindowRequest(count: 10)).rows[0].cells.map(\.text)
                == ["added", "b", "", "6"])
    }

    @Test func onlyDifferingLinesOfATextAreInTheInspector() async throws {
        let source = TwoStates([("b", "same\nold end")], [("b", "same\nnew end")])
        let difference = try await TimeComparisonSource(
            of: source, query: RowQuery(), from: Timestamp(microseconds: 1),
            to: Timestamp(microseconds: 9), offset: 0)
        let detail = try #require(try await difference.detail(of: RowID("b"), at: nil))
        #expect(detail.sections[0].lines.map(\.text) == ["changed", "b", "old end", "new end"])
    }

    @Test func equalValueOfAnotherDeviceIsNotADifference() async throws {
        func row(_ value: String, _ device: String) -> Row {
            Row(
                id: RowID("b"),
                cells: [RowCell("b", .key), RowCell(value, .string), RowCell(device, .device)])
        }
        func count(_ before: Row, _ after: Row) async throws -> Int {
            let difference = try await TimeComparisonSource(
                of: TwoStates([before], [after]), query: RowQuery(),
                from: Timestamp(microseconds: 1), to: Timestamp(microseconds: 9), offset: 0)
            return try await difference.window(WindowRequest(count: 10)).total
        }
        #expect(try await count(row("x", "ben"), row("x", "anna")) == 0)
        #expect(try await count(row("x", "ben"), row("y", "ben")) == 1)
    }

    @Test func equallyTruncatedValuesStartAtTheirDifference() async throws {
        let same = String(repeating: "word ", count: 40)
        func row(_ end: String) -> Row {
            let cut = RowCell(
                String(same.prefix(60)) + "…", value: .json(.string(same + end)))
            return Row(id: RowID("b"), cells: [RowCell("b"), cut])
        }
        let difference = try await TimeComparisonSource(
            of: TwoStates([row("milk")], [row("eggs")]), query: RowQuery(),
            from: Timestamp(microseconds: 1), to: Timestamp(microseconds: 9), offset: 0)
        let cells = try await difference.window(WindowRequest(count: 10)).rows[0].cells
        #expect(cells[2].text.hasSuffix("word milk\"") && cells[3].text.hasSuffix("word eggs\""))
        #expect(cells[2].text.count < 20)
    }

    @Test func longListsAreReadPageByPage() async throws {
        let rows = (0..<7_001).map { (String(100_000 + $0), "x") }
        let source = TwoStates(rows, rows + [("z", "new")])
        var read = 0
        try await RowExport.read(source, RowQuery(), page: 1_000, limit: 10_000) { _ in read += 1 }
        #expect(read == 7_002)
        let difference = try await TimeComparisonSource(
            of: source, query: RowQuery(), from: Timestamp(microseconds: 1),
            to: Timestamp(microseconds: 9), offset: 0)
        #expect(try await difference.window(WindowRequest(count: 10)).total == 1)
        await #expect(throws: RequestFailure.self) {
            try await RowExport.read(source, RowQuery(), page: 1_000, limit: 5_000) { _ in }
        }
    }
}

@Suite struct RowExportTests {
    @Test func exportWritesJSONAndOverwritesNoFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("rows.json")
        let count = try await RowExport.write(
            try Sample.notes(), query: RowQuery(filter: "key:note/2/*"), to: path,
            outside: "/nowhere")
        #expect(count == 2)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let rows = try #require(
            try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(rows.map { $0["value"] as? String } == ["milk, eggs", "日本"])
        await #expect(throws: RequestFailure.self) {
            try await RowExport.write(
                try Sample.notes(), query: RowQuery(), to: path, outside: "/nowhere")
        }
    }

    @Test func exportIncludesMarkedRowsHiddenByTheFilter() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("rows.csv")
        let count = try await RowExport.write(
            try Sample.notes(), query: RowQuery(filter: "key:note/1/*"),
            chosen: [RowID("note/1/title"), RowID("note/2/title"), RowID("gone")], as: .csv,
            to: path, outside: "/nowhere")
        #expect(count == 2)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\r\n")
        #expect(lines.count == 3)
        #expect(lines.last?.contains("note/2/title") == true)
    }

    @Test func emptyListIsWrittenWithItsHeader() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("rows.csv")
        let source = FakeSource("Keys", [])
        let count = try await RowExport.write(
            source, query: RowQuery(), as: .csv, to: path, outside: "/nowhere")
        #expect(count == 0)
        let names = RowRecord.names(in: source.info)
        #expect(!names.isEmpty)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8)
                == names.joined(separator: ",") + "\r\n")
    }

    @Test func csvQuotesSpecialFields() throws {
        var writer = ExportWriter(.csv)
        writer.add(
            RowRecord([
                .init("a,b", "x\r\ny"), .init("c", .integer(5)), .init("d", "say \"hi\""),
                .init("e", .null), .init("f", .array([1, "z"])),
            ]))
        let text = String(decoding: writer.end(), as: UTF8.self)
        #expect(
            text == "\"a,b\",c,d,e,f\r\n\"x\r\ny\",5,\"say \"\"hi\"\"\",,\"[1,\"\"z\"\"]\"\r\n")
    }

    @Test func exportRefusesExistingFilesAndPipes() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, folder.path, folder.appending("none/x.json")] {
            await #expect(throws: RequestFailure.self) {
                try await RowExport.write(
                    try Sample.notes(), query: RowQuery(), to: path, outside: "/nowhere")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pipe"])
    }

    @Test func noFileIsCreatedInTheStore() async throws {
        let folder = try TemporaryFolder()
        await #expect(throws: RequestFailure.self) {
            try await RowExport.write(
                try Sample.notes(), query: RowQuery(), to: folder.appending("x.json"),
                outside: folder.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
