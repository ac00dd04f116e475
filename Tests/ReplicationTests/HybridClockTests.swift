import Replication
import TestSupport
import Testing

@Suite struct HybridClockTests {
    @Test func timeNeverGoesBackWithTheWallClock() throws {
        var random = SeededRandom(seed: 11)
        let wall = TestClock()
        let clock = wall.hybrid
        var last = Timestamp.distantPast
        for _ in 0..<runCount(2_000) {
            wall.advance(microseconds: .random(in: -7_200_000_000...7_200_000_000, using: &random))
            let seen = Timestamp(
                microseconds: wall.now.microseconds + .random(in: -5...5, using: &random))
            let given = try clock.tick(after: seen)
            #expect(given > last)
            #expect(given > seen)
            #expect(given >= wall.now || given == max(last, seen).successor)
            last = given
        }
    }

    @Test func writeAfterSeeingAFutureValueBeatsIt() throws {
        let wall = TestClock()
        let clock = wall.hybrid
        let seen = Timestamp(microseconds: wall.now.microseconds + 3_600_000_000)
        #expect(try clock.tick(after: seen) == seen.successor)
        clock.observe(Timestamp(microseconds: seen.microseconds + 10))
        #expect(try clock.tick().microseconds == seen.microseconds + 11)
    }

    @Test func timeMoreThanADayAheadIsAClockProblem() {
        let wall = TestClock()
        let clock = wall.hybrid
        let day: Int64 = 86_400_000_000
        #expect(!clock.isImplausible(Timestamp(microseconds: wall.now.microseconds + day)))
        #expect(clock.isImplausible(Timestamp(microseconds: wall.now.microseconds + day + 1)))
        #expect(clock.isImplausible(.distantFuture))
        wall.set(.distantFuture)
        #expect(!clock.isImplausible(.distantFuture))
    }

    @Test func clockOnlyReturnsValidTimes() throws {
        let wall = TestClock()
        let clock = wall.hybrid
        #expect(Timestamp.earliest.iso8601 == "0001-01-01T00:00:00.000000Z")
        #expect(Timestamp.latest.iso8601 == "9999-12-31T23:59:59.999999Z")
        // A time far ahead is followed once, and doesn't move the clock.
        let far = Timestamp(microseconds: Timestamp.latest.microseconds - 3)
        #expect(try clock.tick(after: far) == far.successor)
        for end in [Timestamp.latest, .distantFuture, Timestamp(microseconds: .max / 2)] {
            #expect(try clock.tick(after: end) == .latest)
        }
        for end in [Timestamp.latest, .distantFuture] { clock.observe(end) }
        let next = try clock.tick()
        #expect(next.microseconds - wall.now.microseconds < 10)
        wall.set(.distantFuture)
        expectCode(.timeOutOfRange) { _ = try clock.tick() }
        // A clock that was at the end of time and is corrected returns the correct time.
        wall.set(.latest)
        #expect(try clock.tick() == .latest)
        wall.set(Timestamp(microseconds: 0))
        #expect(try clock.tick() == wall.now)
    }
}
