import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Replication

/// A task that is being canceled holds its own lock while it calls the cancellation handler.
/// Resuming it under a lock that the handler needs would deadlock.
@Suite(.timeLimit(.minutes(30))) struct WakingTests {
    /// Runs `body` repeatedly on a separate thread until it is stopped.
    private final class Repeating: Sendable {
        private let isEnded = Atomic(false)
        private let end = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable (Int) -> Void) {
            let thread = Thread { [self] in
                var round = 0
                while !isEnded.load(ordering: .relaxed) {
                    body(round)
                    round += 1
                }
                end.signal()
            }
            thread.start()
        }

        func stop() {
            isEnded.store(true, ordering: .relaxed)
            end.wait()
        }
    }

    @Test func subscriberCanBeCanceledWhileEventsArePosted() async {
        let hub = EventHub<Int>()
        let posting = Repeating { hub.post($0) }
        await OwnThreads.run { threads in
            for round in 0..<2_000 {
                let listening = Task(executorPreference: threads) {
                    for await _ in hub.events() {}
                }
                if round.isMultiple(of: 3) { await Task.yield() }
                listening.cancel()
            }
            posting.stop()
        }
    }

    @Test func readerCanBeCanceledWhileChangesArrive() async {
        let mailbox = Mutex(PackageChanges.Mailbox())
        let putting = Repeating { _ in
            mailbox.withLock { $0 }.put(PackageChange(since: .now))
        }
        await OwnThreads.run { threads in
            for round in 0..<2_000 {
                let own = PackageChanges.Mailbox()
                mailbox.withLock { $0 = own }
                let reading = Task(executorPreference: threads) {
                    while await own.next() != nil {}
                }
                if round.isMultiple(of: 3) { await Task.yield() }
                reading.cancel()
                await reading.value
            }
            putting.stop()
        }
    }

    @Test func eventsOfManyThreadsReachAllSubscribersInOneOrder() async {
        let hub = EventHub<Int>()
        let listeners = [hub.events(), hub.events()]
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<500 { hub.post(thread * 1_000 + number) }
        }
        hub.finish()
        var heard: [[Int]] = []
        for events in listeners {
            var all: [Int] = []
            for await event in events { all.append(event) }
            heard.append(all)
        }
        #expect(heard[0] == heard[1])
        #expect(heard[0].count == 4_000)
        for thread in 0..<8 {
            let own = heard[0].filter { $0 / 1_000 == thread }
            #expect(own == (0..<500).map { thread * 1_000 + $0 })
        }
    }

    @Test func queuedEventsReachTheSubscribersAtTheirTime() async {
        let hub = EventHub<Int>()
        let early = hub.events()
        hub.note(1)
        let late = hub.events()
        hub.note(2)
        hub.finish()
        var heard: [[Int]] = []
        for events in [early, late] {
            var all: [Int] = []
            for await event in events { all.append(event) }
            heard.append(all)
        }
        #expect(heard == [[1, 2], [2]])
    }
}
