import DocumentSync
import Replication
import Synchronization
import TestSupport
import Testing

@Suite struct SyncClientTests {
    @Test func pausesGrowToTheirLimit() {
        var pauses = RetryPauses()
        pauses.shortest = .seconds(1)
        pauses.longest = .seconds(10)
        let times = (1...6).map { pauses.pause(afterFailures: $0, random: 0) }
        #expect(times == [1, 2, 4, 8, 10, 10].map { Duration.seconds($0) })
        #expect(pauses.pause(afterFailures: .max, random: 1) == .seconds(12.5))
    }

    /// A server whose first three connections fail.
    private final class Flaky: MessageConnector {
        let address = "flaky"
        private let server: Node
        private let failures = Mutex(3)

        init(_ server: Node) { self.server = server }

        func connect() async throws(SyncError) -> any MessageConnection {
            let fails = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if fails { throw SyncError(.cannotConnect, "not there") }
            let (near, far) = MemoryConnection.pair()
            Task { try? await server.exchange.run(far, as: .server) }
            return near
        }
    }

    @Test(.timeLimit(.minutes(30))) func clientReconnectsAfterPauses() async throws {
        let time = TestScheduler()
        let (client, server) = (Node("client", .mine), Node("server", .onRequest))
        let id = try client.make("a", "1")
        let events = client.exchange.events()
        let running = Task {
            try? await SyncClient(
                client.exchange, to: Flaky(server), scheduler: time.scheduler, random: { 0 }
            ).run()
        }
        var pauses: [Duration] = []
        for await event in events {
            if case .retrying(_, let pause) = event.kind {
                pauses.append(pause)
                // The event precedes the pause.
                try await wait { time.waitingCount > 0 }
                time.advance(by: pause)
            }
            if event.kind.isInSync(id) { break }
        }
        #expect(pauses == [250, 500, 1_000].map { Duration.milliseconds($0) })
        #expect(try server.value(id, "a") == "1")
        running.cancel()
        await running.value
    }

    @Test(.timeLimit(.minutes(30))) func peerThatDoesNotJoinTimesOut() async throws {
        let time = TestScheduler()
        let server = Node("server", .onRequest, limits: SyncLimits(), scheduler: time.scheduler)
        let (near, far) = MemoryConnection.pair()
        let serving = Task { try await server.exchange.run(far, as: .server) }
        try await wait { time.waitingCount > 0 }
        time.advance(by: .seconds(10))
        let error = await #expect(throws: SyncError.self) { try await serving.value }
        #expect(error?.code == .timedOut)
        _ = near
    }

    @Test(.timeLimit(.minutes(30))) func peersOverTheLimitAreRefused() async throws {
        var limits = SyncLimits()
        limits.peers = 1
        let server = Node("server", .onRequest, limits: limits)
        let joined = server.exchange.events()
        let line = connect(Node("one", .mine), server)
        _ = await first(joined) { kind in
            if case .connected = kind { true } else { false }
        }
        let (near, far) = MemoryConnection.pair()
        let refused = running(server, far, as: .server)
        await #expect(throws: SyncError.self) {
            try await Node("two", .mine).exchange.run(near, as: .client)
        }
        #expect(await refused.value?.code == .tooMany)
        line.cancel()
    }

    @Test(.timeLimit(.minutes(30))) func peerWithTooManyDocumentsIsDisconnected() async throws {
        var limits = SyncLimits()
        limits.documentsPerPeer = 10
        let server = Node("server", .onRequest, limits: limits)
        let client = Node("client", .mine)
        for number in 0..<20 { try client.make("a", "\(number)") }
        let (near, far) = MemoryConnection.pair()
        let serving = running(server, far, as: .server)
        try? await client.exchange.run(near, as: .client)
        #expect(await serving.value?.code == .tooMany)
        #expect(server.repository.ids.count <= 10)
    }
}
