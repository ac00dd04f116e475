import Foundation
import Replication
import Synchronization
import Testing

@testable import TidelineCore

@Suite(.timeLimit(.minutes(30))) struct ProblemsPaneTests {
    let stage: DoctorStage

    init() throws { stage = try DoctorStage() }

    @Test func aJournalThatWasFreshWhenItWasLookedIsToldOfOnceItIsLeftAlone() async throws {
        let (log, journal) = try stage.middleOfWriting("ben")
        try stage.write(log, DoctorStage.bensLog)
        try stage.write(journal, DoctorStage.bensLog + "-journal")
        // An hour ago it was just being written.
        let isLater = Atomic(false)
        let clock = HybridClock {
            Timestamp(Date(timeIntervalSinceNow: isLater.load(ordering: .relaxed) ? 0 : -3600))
        }
        let problems = ProblemsSource(
            Doctor(stage.shared.path, own: try DeviceID("anna"), clock: clock))
        let (told, tell) = AsyncStream.makeStream(of: Void.self)
        problems.tell { tell.yield() }
        #expect(try await problems.window(WindowRequest(count: 10)).rows.isEmpty)
        isLater.store(true, ordering: .relaxed)
        for await _ in told.prefix(2) {}
        #expect(problems.known?.map(\.code) == ["journal"])
    }
}
