import EntityStore
import Replication
import Testing

@testable import TidelineCore

/// The time from a file's event until its rows are visible.
@Suite struct ArrivalTimesTests {
    private let times = ArrivalTimes()
    private let file: DeviceFile
    private let start = ContinuousClock.now

    init() throws { file = DeviceFile(try DeviceID("ben"), .entities) }

    private func note(_ first: Int, _ last: Int) {
        times.note(
            file, from: start + .milliseconds(first), to: start + .milliseconds(last))
    }

    private func latency(at milliseconds: Int) -> Duration? {
        times.latency(of: file, at: start + .milliseconds(milliseconds))
    }

    @Test func latencyStartsAtTheFirstOfTheEventsInQuickSuccession() {
        note(0, 5)
        note(100, 120)
        #expect(latency(at: 150) == .milliseconds(150))
        #expect(latency(at: 160) == nil)
    }

    @Test func eventThatIsNotedAfterItsReportIsIgnored() {
        #expect(latency(at: 20) == nil)
        note(0, 5)
        #expect(latency(at: 3_000) == nil)
    }

    @Test func eventWithoutRowsDoesNotCountForLaterRows() {
        note(0, 5)
        #expect(latency(at: 10) == .milliseconds(10))
        note(15, 15)
        note(3_000, 3_005)
        #expect(latency(at: 3_010) == .milliseconds(10))
    }

    @Test func eventsDuringAReportCountForTheNextOne() {
        note(0, 5)
        #expect(latency(at: 30) == .milliseconds(30))
        note(20, 40)
        #expect(latency(at: 60) == .milliseconds(40))
    }
}
