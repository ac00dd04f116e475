import Foundation
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Exporting rows to a file in the background, and cancelling it.
@Suite struct ExportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A model with a pending export that no interpreter runs.
    private func exporting(_ stage: Stage) throws -> (model: Model, id: RequestID) {
        var model = stage.model
        let action = try #require(Action.named("export"))
        let effects = model.perform(action, .init(argument: "csv rows.csv"))
        guard case .export(let id, _, _, _, .csv, "rows.csv")? = effects.first else {
            throw CancellationError()
        }
        return (model, id)
    }

    private func header(_ model: Model) -> String {
        render(model, theme: .bare, size: model.panels.size).lines[0]
    }

    @Test func headerShowsExportProgress() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        var (model, id) = try exporting(stage)
        #expect(header(model).contains("EXPORT 0% (Esc: cancel)"))
        _ = update(&model, .exporting(id, done: 420, of: 1_000))
        #expect(header(model).contains("EXPORT 42% (Esc: cancel)"))
        _ = update(&model, .exporting(RequestID(id.number + 1), done: 500, of: 1_000))
        #expect(header(model).contains("EXPORT 42%"))
        _ = update(&model, .exported(id, .success("exported 1,000 rows to rows.csv")))
        #expect(!header(model).contains("EXPORT"))
        #expect(model.notice?.text == "exported 1,000 rows to rows.csv")
    }

    @Test func escapeCancelsOnlyTheExport() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("fnote", "Enter", "Space")
        var (model, id) = try exporting(stage)
        let list = model.list
        let effects = update(&model, .input(.key(Key(.escape))))
        #expect(effects.contains(.cancel(id)))
        #expect(model.notice?.text == "export cancelled; rows.csv was not written")
        #expect(model.list == list)
        // The result of a cancelled export is not shown.
        _ = update(&model, .exported(id, .success("written")))
        #expect(model.notice?.text != "written")
    }

    @Test func runningExportBlocksAnotherAndQuittingAsks() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        var (model, _) = try exporting(stage)
        let action = try #require(Action.named("export"))
        #expect(model.perform(action, .init(argument: "json other.json")).isEmpty)
        #expect(model.notice?.text == "rows.csv is still being exported. Press Esc to cancel")
        _ = update(&model, .input(.key(.character("q"))))
        guard case .quit(let leaving)? = model.overlay else {
            Issue.record("\(String(describing: model.overlay))")
            return
        }
        #expect(leaving.reason == "the export to rows.csv is still running")
    }

    @Test func exportReportsOnceAllRowsAreWritten() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(2_500)))
        let path = folder.appending("rows.jsonl")
        let action = try #require(Action.named("export"))
        await stage.perform(action, .init(argument: "jsonl \(path)"))
        #expect(stage.model.notice?.text == "exported 2,500 rows to \(path)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n").count == 2_500)
    }

    @Test func nullEmptyTextAndInfinityDifferInATable() {
        var writer = ExportWriter(.csv)
        writer.add(
            RowRecord([
                .init("null", .null), .init("none", .verbatim("null")), .init("empty", .string("")),
                .init("text", .verbatim(#""""#)), .init("word", .string("NULL")),
                .init("large", .verbatim(#"{"$real":"inf"}"#)), .init("small", ["$real": "-inf"]),
            ]))
        #expect(
            String(decoding: writer.end(), as: UTF8.self)
                == "null,none,empty,text,word,large,small\r\n,,\"\",\"\",NULL,Inf,-Inf\r\n")
    }

    @Test func csvWritesStringsWithoutModelQuotes() {
        var writer = ExportWriter(.csv)
        writer.add(
            RowRecord([
                .init("plain", .string("milk")), .init("whole", .verbatim(#""say \"milk\"""#)),
                .init("number", .verbatim("1.0")), .init("none", .verbatim("null")),
                .init("list", .verbatim(#"["milk"]"#)),
            ]))
        #expect(
            String(decoding: writer.end(), as: UTF8.self)
                == #"""
                plain,whole,number,none,list\#r
                milk,"say ""milk""",1.0,,"[""milk""]"\#r

                """#)
    }

    @Test func cancelledExportLeavesNoFile() async throws {
        let source = try Sample.many(2_500)
        let path = folder.appending("rows.csv")
        let (counts, progress) = AsyncStream<Int>.makeStream()
        let writing = Task {
            try await RowExport.write(
                source, query: RowQuery(), as: .csv, to: path, outside: "/nowhere"
            ) { done, _ in
                progress.yield(done)
                // Cancels in the middle, after the first batch.
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await writing.value }
        progress.finish()
        var all: [Int] = []
        for await done in counts { all.append(done) }
        #expect(all == [1_000])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.isEmpty, "\(left)")
    }
}
