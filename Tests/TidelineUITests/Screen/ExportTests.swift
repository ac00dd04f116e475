import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Exporting rows to a file in the background, and canceling it.
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
        #expect(model.notice?.text.contains("rows.csv was not written") == true)
        #expect(model.list == list)
        // The result of a canceled export is not shown.
        _ = update(&model, .exported(id, .success("written")))
        #expect(model.notice?.text != "written")
    }

    @Test func runningExportBlocksAnotherAndQuittingAsks() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        var (model, _) = try exporting(stage)
        let action = try #require(Action.named("export"))
        #expect(model.perform(action, .init(argument: "json other.json")).isEmpty)
        #expect(model.notice?.text.hasPrefix("rows.csv is still") == true)
        _ = update(&model, .input(.key(.character("q"))))
        guard let leaving = model.overlay?.module as? QuitDialog else {
            Issue.record("\(String(describing: model.overlay))")
            return
        }
        #expect(leaving.reason.contains("rows.csv"))
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

    @Test func formatFollowsTheExtensionOfTheFile() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let action = try #require(Action.named("export"))
        for (argument, format) in [
            ("rows.tsv", ExportFormat.tsv), ("my rows.SQL", .sql), ("jsonl rows.csv", .jsonLines),
        ] {
            var model = stage.model
            let effects = model.perform(action, .init(argument: argument))
            guard case .export(_, _, _, _, format, _)? = effects.first else {
                Issue.record("\(argument): \(effects)")
                continue
            }
        }
        var model = stage.model
        #expect(model.perform(action, .init(argument: "rows.txt")).isEmpty)
        #expect(model.notice?.kind == .warning)
    }

    @Test func canceledExportLeavesNoFile() async throws {
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

    @Test func valuesAreSavedAsTheirBytes() async throws {
        let (demo, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(demo) {} }
        let bytes = Data([0, 255, 13, 10])
        try StorePackage(opening: path).blobs.put(bytes, at: "a.bin")
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "blobs")
        let file = folder.appending("saved.bin")
        await stage.press(":")
        await stage.type("save \(file)")
        await stage.press("Enter")
        #expect(try Data(contentsOf: URL(filePath: file)) == bytes)
        #expect(stage.model.notice?.text == "saved to \(file)")

        for refused in [file, path + "/Blobs/new.bin"] {
            await stage.press(":")
            await stage.type("save \(refused)")
            await stage.press("Enter")
            #expect(stage.model.notice?.kind == .error, "\(refused)")
        }
        #expect(!FileManager.default.fileExists(atPath: path + "/Blobs/new.bin"))
        await session.close()
    }

    @Test func rowWithoutAValueIsNotSaved() async throws {
        let (demo, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(demo) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "devices")
        let file = folder.appending("saved")
        await stage.press(":")
        await stage.type("save \(file)")
        await stage.press("Enter")
        #expect(stage.model.notice?.kind == .error)
        #expect(!FileManager.default.fileExists(atPath: file))
        await session.close()
    }
}
