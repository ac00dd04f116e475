import Foundation
import KeyValueStore
import Replication
import Synchronization
import TestSupport
import Testing

@testable import TidelineCore

@Suite(.timeLimit(.minutes(30))) struct ProblemsPaneTests {
    let stage: DoctorStage

    init() throws { stage = try DoctorStage() }

    @Test func freshJournalIsReportedOnceItIsLeftBehind() async throws {
        let (log, journal) = try stage.middleOfWriting("ben")
        try stage.write(log, DoctorStage.bensLog)
        try stage.write(journal, DoctorStage.bensLog + "-journal")
        // An hour earlier, the file was being written.
        let isLater = Atomic(false)
        let clock = HybridClock {
            Timestamp(Date(timeIntervalSinceNow: isLater.load(ordering: .relaxed) ? 0 : -3600))
        }
        let problems = ProblemsSource(
            Doctor(stage.shared.path, own: try DeviceID("anna"), clock: clock),
            WriteAccess(as: nil, isUnlocked: false))
        let (reported, notify) = AsyncStream.makeStream(of: Void.self)
        problems.onChange { notify.yield() }
        #expect(try await problems.window(WindowRequest(count: 10)).rows.isEmpty)
        isLater.store(true, ordering: .relaxed)
        for await _ in reported.prefix(2) {}
        #expect(problems.known?.map(\.code) == ["journal"])
    }

    @Test func problemsIncludeTheLogStatesOfOpenStores() throws {
        var status = DeviceStatus(try DeviceID("ben"))
        (status.state, status.problem) = (.unreadable, "it lies on a disk that is not there")
        for (known, reported) in [
            ([status], ["rows: it lies on a disk that is not there"]), (nil, []),
        ]
            as [([DeviceStatus]?, [String])]
        {
            let doctor = Doctor(
                stage.shared.path, own: nil, models: DataModels.standard
            ) { $0 == .logs ? known : nil }
            #expect(try doctor.examine().map { "\($0.code): \($0.problem)" } == reported)
        }
    }

    /// The journal doesn't change the state of any device.
    @Test func journalLeftBehindLaterIsReported() async throws {
        let (_, journal) = try stage.middleOfWriting("ben")
        let pane = try await PaneSession(stage.shared.path)
        #expect(try await pane.rows(.problems).isEmpty)
        let left = DoctorStage.bensLog + "-journal"
        try stage.write(journal, left)
        try await wait { try await pane.rows(.problems).map(\.cells[2].text) == [left] }
        try FileManager.default.removeItem(atPath: stage.path(left))
        try await wait { try await pane.rows(.problems).isEmpty }
        await pane.close()
    }

    @Test func missingDeviceIsAProblemUntilItReturns() async throws {
        let pane = try await PaneSession(stage.shared.path)
        #expect(try await pane.rows(.problems).isEmpty)
        let (ben, away) = (stage.path("Devices/ben"), stage.shared.folder.appending("ben"))
        try FileManager.default.moveItem(atPath: ben, toPath: away)
        try await wait { try await pane.rows(.problems).map(\.cells[4].text) == ["gone"] }
        // The header shows the same count.
        #expect(pane.session.status.foundCount == 1)
        try FileManager.default.moveItem(atPath: away, toPath: ben)
        try await wait { try await pane.rows(.problems).isEmpty }
        await pane.close()
    }

    /// Only a copy of the log exists: the log itself is missing, and was never read.
    @Test func fileThatNeverExistedIsNotMissing() async throws {
        let ben = stage.path("Devices/ben/Logs")
        try FileManager.default.moveItem(
            atPath: "\(ben).db", toPath: "\(ben).sync-conflict-20261101-101010-ABCDEFG.db")
        let pane = try await PaneSession(stage.shared.path)
        #expect(try await pane.rows(.problems).map(\.cells[4].text) == ["conflict-copy"])
        await pane.close()
    }

    @Test func oneVersionOfAnyFileIsKept() async throws {
        let (original, copy) = ("Papers/plan.txt", "Papers/plan (conflicted copy).txt")
        try FileManager.default.createDirectory(
            atPath: stage.path("Papers"), withIntermediateDirectories: true)
        try stage.write(Data("tea\n".utf8), original)
        try stage.write(Data("coffee\n".utf8), copy)
        let writing = WriteAccess(as: try DeviceID("anna"), isUnlocked: false)
        let problems = ProblemsSource(Doctor(stage.shared.path, own: nil), writing)
        let row = try #require(try await problems.window(WindowRequest(count: 10)).rows.first)
        #expect(row.isConflict)
        let detail = try #require(try await problems.detail(of: row.id, at: nil))
        let lines = detail.lines("Differences from \(copy)")
        #expect(lines.contains("tea") && lines.contains("coffee"), "\(detail)")
        let conflict = try #require(try await problems.conflict(of: row.id, at: nil))
        #expect(conflict.sides.map(\.typed?.text) == ["tea\n", "coffee\n"])

        let edit = Edit.resolve(row.id, .take(conflict.sides[1].id))
        let error = await #expect(throws: EditError.self) { try await problems.preview(edit) }
        #expect(error?.code == .readOnly)
        writing.isUnlocked = true
        #expect(problems.info.edits[.resolve] == .available)
        let preview = try await problems.preview(edit)
        #expect(preview.changes.map(\.subject) == [original, copy])
        _ = try await problems.apply(preview)
        #expect(
            FileManager.default.contents(atPath: stage.path(original)) == Data("coffee\n".utf8))
        #expect(!FileManager.default.fileExists(atPath: stage.path(copy)))
        let again = await #expect(throws: EditError.self) { try await problems.preview(edit) }
        #expect(again?.code == .notFound)
        #expect(try await problems.window(WindowRequest(count: 10)).rows.isEmpty)
    }

    @Test func copyInADevicesFolderIsNotResolvedHere() async throws {
        try stage.write(Data("tea".utf8), "Devices/ben/plan.txt")
        try stage.write(Data("coffee".utf8), "Devices/ben/plan (conflicted copy).txt")
        let problems = ProblemsSource(
            Doctor(stage.shared.path, own: nil),
            WriteAccess(as: try DeviceID("anna"), isUnlocked: true))
        let rows = try await problems.window(WindowRequest(count: 10)).rows
        let row = try #require(rows.first { $0.cells[4].text == "conflict-copy" })
        #expect(!row.isConflict && problems.info.edits[.resolve] == nil)
        #expect(try await problems.conflict(of: row.id, at: nil) == nil)
    }

    @Test func deviceOfAProblemHasItsDisplayName() async throws {
        var report = DeviceReport(
            try DeviceID("ben"), in: "keys", state: .absent, problem: "its file was deleted")
        (report.name, report.rows) = ("Ben's iPad", 3)
        let problems = ProblemsSource(
            Doctor(stage.shared.path, own: nil), WriteAccess(as: nil, isUnlocked: false)
        ) { [report] in [report] }
        let row = try #require(try await problems.window(WindowRequest(count: 10)).rows.first)
        #expect(row.cells[3].text == "Ben's iPad")
        let detail = try #require(try await problems.detail(of: row.id, at: nil))
        #expect(detail.lines("Problem").contains("device Ben's iPad"), "\(detail)")
        let query = RowQuery(filter: "device:ben")
        #expect(try await problems.window(WindowRequest(query: query, count: 10)).total == 1)
    }

    @Test func listOfDevicesOmitsTheirFoldersFromProblems() async throws {
        let log = URL(filePath: stage.path(DoctorStage.bensLog))
        let whole = try Data(contentsOf: log)
        try whole.prefix(whole.count / 2).write(to: log)
        let pane = try await PaneSession(stage.shared.path)
        func problem() async throws -> String {
            try await pane.rows(.devices).first { $0.id.name == "ben" }?.cells.last?.text ?? ""
        }
        try await wait { try await !problem().isEmpty }
        #expect(try await problem().hasPrefix("Logs.db "))
        await pane.close()
    }
}
