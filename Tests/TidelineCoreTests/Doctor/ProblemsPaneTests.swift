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
            Doctor(stage.shared.path, own: try DeviceID("anna"), clock: clock))
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

    @Test func deviceOfAProblemHasItsDisplayName() async throws {
        var report = DeviceReport(
            try DeviceID("ben"), in: "keys", state: .absent, problem: "its file was deleted")
        (report.name, report.rows) = ("Ben's iPad", 3)
        let problems = ProblemsSource(Doctor(stage.shared.path, own: nil)) { [report] in [report] }
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
