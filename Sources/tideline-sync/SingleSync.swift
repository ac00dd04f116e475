import Automerge
import DocumentSync
import Replication
import Synchronization

/// Syncs documents once: until they are in sync, or until that is impossible.
struct SingleSync: Sendable {
    private let exchange: DocumentExchange
    private let client: SyncClient
    private let targets: Set<DocumentID>
    /// A closure that runs before the connection ends.
    private let atEnd: @Sendable () async -> Void

    /// The time after which the sync ends if the status of no document changes.
    private static let patience: Duration = .seconds(15)
    /// The time to wait for a document after a server reported that it doesn't have the document.
    private static let grace: Duration = .seconds(2)
    private static let attempts = 3

    init(
        _ exchange: DocumentExchange, _ client: SyncClient, of targets: Set<DocumentID>,
        atEnd: @escaping @Sendable () async -> Void
    ) {
        self.exchange = exchange
        self.client = client
        self.targets = targets
        self.atEnd = atEnd
    }

    /// Documents that are not in sync, each with its last known status; `nil` if the server was
    /// never asked.
    typealias Rest = [DocumentID: DocumentExchange.Standing?]

    private enum Outcome: Sendable {
        case ended(Rest)
        case failed(SyncError)
    }

    /// Syncs the documents.
    ///
    /// - Returns: The documents that still differ at the end.
    /// - Throws: `SyncError` if the server can't be reached.
    func run() async throws -> Rest {
        let nothing = Rest(uniqueKeysWithValues: targets.map { ($0, nil) })
        let outcome = Mutex(Outcome.ended(nothing))
        let events = exchange.events()
        try await Interruption.ends {
            let result = await withTaskGroup { group -> Outcome in
                group.addTask {
                    do throws(SyncError) {
                        try await client.run(attempts: Self.attempts)
                    } catch {
                        return Outcome.failed(error)
                    }
                    return Outcome.ended(nothing)
                }
                group.addTask {
                    let rest = await watch(events)
                    if !Task.isCancelled { await atEnd() }
                    return Outcome.ended(rest)
                }
                let first = await group.next() ?? .ended(nothing)
                group.cancelAll()
                return first
            }
            outcome.withLock { $0 = result }
        } after: {
            await atEnd()
        }
        switch outcome.withLock({ $0 }) {
        case .ended(let rest): return rest
        case .failed(let error): throw error
        }
    }

    /// Checks the status after each event and every second, until all documents are in sync or
    /// their status hasn't changed for ``patience`` or ``grace``.
    private func watch(_ events: SyncEvents) async -> Rest {
        let scheduler = Scheduler.dispatch()
        let (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let reading = Task {
            for await _ in events { waker.yield() }
        }
        defer { reading.cancel() }
        var lastChange = scheduler.now()
        var last: [DocumentID: DocumentExchange.Standing] = [:]
        while !Task.isCancelled {
            let peers = await exchange.status
            var now: [DocumentID: DocumentExchange.Standing] = [:]
            for peer in peers {
                for (id, status) in peer.documents where targets.contains(id) {
                    now[id] = status.standing
                }
            }
            let rest = targets.filter { now[$0] != .inSync }
            if !peers.isEmpty, rest.isEmpty { return [:] }
            if now != last || peers.isEmpty {
                last = now
                lastChange = scheduler.now()
            }
            let quiet = scheduler.now() - lastChange
            let isDecided = !peers.isEmpty && rest.allSatisfy { now[$0] == .unavailable }
            let limit = isDecided ? Self.grace : Self.patience
            if quiet >= limit, !peers.isEmpty {
                return Rest(uniqueKeysWithValues: rest.map { ($0, now[$0]) })
            }
            // The start of a document's sync changes its status without an event.
            let pause = min(limit - quiet + .milliseconds(10), .seconds(1))
            let alarm = scheduler.schedule(after: pause) {
                waker.yield()
            }
            for await _ in wakes { break }
            alarm.cancel()
        }
        return Rest(uniqueKeysWithValues: targets.map { ($0, last[$0]) })
    }
}
