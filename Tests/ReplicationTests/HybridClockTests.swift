import Replication
import TestSupport
import Testing

@Suite struct HybridClockTests {
    @Test func timeNeverRunsBackWhateverTheWallClockDoes() {
        var random = SeededRandom(seed: 11)
        let wall = TestClock()
        let clock = HybridClock { wall.now }
        var last = Timestamp.distantPast
        for _ in 0..<runCount(2_000) {
            wall.advance(microseconds: .random(in: -7_200_000_000...7_200_000_000, using: &random))
            let seen = Timestamp(
                microseconds: wall.now.microseconds + .random(in: -5...5, using: &random))
            let given = clock.tick(after: seen)
            #expect(given > last)
            #expect(given > seen)
            #expect(given >= wall.now || given == max(last, seen).successor)
            last = given
        }
    }

    @Test func aWriteAfterSeeingAValueFromTheFutureBeatsIt() {
        let wall = TestClock()
        let clock = HybridClock { wall.now }
        let seen = Timestamp(microseconds: wall.now.microseconds + 3_600_000_000)
        #expect(clock.tick(after: seen) == seen.successor)
        clock.observe(Timestamp(microseconds: seen.microseconds + 10))
        #expect(clock.tick().microseconds == seen.microseconds + 11)
    }

    @Test func aDayAheadIsAClockProblem() {
        let wall = TestClock()
        let clock = HybridClock { wall.now }
        let day: Int64 = 86_400_000_000
        #expect(!clock.isImplausible(Timestamp(microseconds: wall.now.microseconds + day)))
        #expect(clock.isImplausible(Timestamp(microseconds: wall.now.microseconds + day + 1)))
        #expect(clock.isImplausible(.distantFuture))
        wall.set(.distantFuture)
        #expect(!clock.isImplausible(.distantFuture))
    }
}
