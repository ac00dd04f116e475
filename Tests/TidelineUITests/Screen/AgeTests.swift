import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct AgeTests {
    /// The next instant at which the text of an age changes, found by trying every instant.
    private func nextBySearch(_ instant: Timestamp, _ now: Timestamp) -> Timestamp? {
        let text = TimeText.age(of: instant, at: now)
        var low = now.microseconds
        var high = now.microseconds + 1
        while TimeText.age(of: instant, at: Timestamp(microseconds: high)) == text {
            let step = (high - now.microseconds) * 2
            guard step < 1 << 60 else { return nil }
            low = high
            high = now.microseconds + step
        }
        while high - low > 1 {
            let middle = (low + high) / 2
            let isSame = TimeText.age(of: instant, at: Timestamp(microseconds: middle)) == text
            if isSame { low = middle } else { high = middle }
        }
        return Timestamp(microseconds: high)
    }

    @Test func nextAgeChangeMatchesASearch() {
        var random = SeededRandom(seed: 1)
        let seconds: [Int64] = [
            0, 1, 2, 59, 60, 61, 3_599, 3_600, 86_399, 86_400, 1_209_599, 1_209_600, 31_557_599,
            31_557_600, 70_000_000,
        ]
        for _ in 0..<runCount(300) {
            let size = seconds.randomElement(using: &random) ?? 0
            let sign: Int64 = Bool.random(using: &random) ? 1 : -1
            let offset = size * 1_000_000 + Int64.random(in: -3...3, using: &random) * 333_333
            let instant = Timestamp(microseconds: Stage.start.microseconds - sign * offset)
            #expect(
                TimeText.nextAge(of: instant, after: Stage.start)
                    == nextBySearch(instant, Stage.start), "\(sign * offset)")
        }
        #expect(TimeText.nextAge(of: .distantPast, after: .distantFuture) == nil)
        #expect(TimeText.nextAge(of: .distantFuture, after: .distantPast) == nil)
        let zero = Timestamp(microseconds: 0)
        #expect(TimeText.nextAge(of: zero, after: Timestamp(microseconds: .max)) == nil)
        #expect(TimeText.nextAge(of: Timestamp(microseconds: .max), after: zero) != nil)
    }

    private func stage(ago: [Int64], columns: Int = 80) async throws -> Stage {
        let entries = try ago.enumerated().map { try Sample.entry("k\($0)", "v", ago: $1) }
        let session = try Sample.session(keys: FakeSource("Keys", entries))
        var status = session.status
        status.devices = []
        session.status = status
        return await Stage(session, columns: columns)
    }

    private func wakes(_ stage: Stage) -> [Duration] {
        stage.effects.compactMap { effect in
            if case .wake(.ages, let delay) = effect { delay } else { nil }
        }
    }

    /// Rings the age alarm whenever it is due during a period. Returns how often it rang.
    private func ring(_ stage: Stage, seconds: Int64) async -> Int {
        let end = Timestamp(microseconds: stage.model.now.microseconds + seconds * 1_000_000)
        var count = 0
        while let due = stage.model.requests.alarms[.ages], due <= end {
            stage.model.now = due
            await stage.send(.woke(.ages))
            count += 1
        }
        stage.model.now = end
        return count
    }

    @Test func ageAdvancesWithoutAKeyPress() async throws {
        let stage = try await stage(ago: [12])
        #expect(stage.lines[2].hasSuffix("12s"))
        #expect(wakes(stage) == [.seconds(1)])
        #expect(await ring(stage, seconds: 33) == 33)
        #expect(stage.lines[2].hasSuffix("45s"))
    }

    @Test func oldAgesWakeAtMostOncePerMinute() async throws {
        let stage = try await stage(ago: (0..<20).map { 3_000 + $0 * 7 })
        #expect(await ring(stage, seconds: 600) <= 10)
        #expect(stage.lines[2].hasSuffix("1h"))
    }

    @Test func agesInDaysCauseOneWakeUpPerDay() async throws {
        let stage = try await stage(ago: [86_400 * 3])
        // The screen wakes at the first full minute after the text changes.
        let delay = try #require(wakes(stage).first)
        #expect(wakes(stage).count == 1)
        #expect(delay >= .seconds(86_400) && delay < .seconds(86_460))
    }

    @Test func hiddenAgesCauseNoWakeUps() async throws {
        let stage = try await stage(ago: [12], columns: 19)
        #expect(wakes(stage).isEmpty)
        let none = try await self.stage(ago: [])
        #expect(wakes(none).isEmpty)
    }

    @Test func rowsOutOfViewCauseNoWakeUps() async throws {
        let stage = try await stage(ago: [12] + Array(repeating: 86_400, count: 100))
        await stage.press("G")
        #expect(await ring(stage, seconds: 1) == 1)
        #expect(await ring(stage, seconds: 3_600) == 0)
    }

    @Test func agesDoNotAdvanceInTimeTravel() async throws {
        let stage = try await stage(ago: [700])
        await stage.press("t")
        let before = stage.lines[2]
        _ = await ring(stage, seconds: 300)
        #expect(stage.lines[2] == before)
    }

    @Test func listAndSidebarShowTheSameAge() async throws {
        let keys = FakeSource("Keys", [try Sample.entry("k", "v", ago: 9)])
        let session = try Sample.session(keys: keys)
        let stage = await Stage(session, columns: 120, rows: 40)
        #expect(stage.text.contains("9s"))
        _ = await ring(stage, seconds: 30)
        let sidebar = stage.lines.filter { $0.contains(" ipad") && $0.contains("39s") }
        #expect(!sidebar.isEmpty)
        #expect(!stage.text.contains(" 9s"))
    }
}
