public import Replication

/// A client that keeps an exchange connected to a server, and reconnects after a pause when the
/// connection ends.
public struct SyncClient: Sendable {
    private let exchange: DocumentExchange
    private let connector: any MessageConnector
    private let pauses: RetryPauses
    private let scheduler: Scheduler
    private let random: @Sendable () -> Double

    /// Creates a client of one server.
    ///
    /// - Parameters:
    ///   - pauses: The pauses before trying again.
    ///   - scheduler: The source of time. Tests pass their own.
    ///   - random: Returns numbers from 0 to 1 for the random part of pauses.
    public init(
        _ exchange: DocumentExchange, to connector: any MessageConnector,
        pauses: RetryPauses = RetryPauses(), scheduler: Scheduler = .dispatch(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.exchange = exchange
        self.connector = connector
        self.pauses = pauses
        self.scheduler = scheduler
        self.random = random
    }

    /// Runs until the task is canceled, until `attempts` consecutive connections have failed, or
    /// until the server refuses the connection. The exchange reports all events.
    ///
    /// - Parameter attempts: The maximum number of consecutive failures, or `nil` for no limit.
    /// - Throws: `SyncError` with the last failure.
    public func run(attempts: Int? = nil) async throws(SyncError) {
        var failures = 0
        while !Task.isCancelled {
            let start = scheduler.now()
            var failure: SyncError?
            exchange.note(.connecting(connector.address))
            do throws(SyncError) {
                let connection = try await connector.connect()
                try await exchange.run(connection, as: .client)
            } catch {
                failure = error
            }
            if Task.isCancelled { return }
            if failure?.code == .stopped { return }
            if let failure, failure.code == .refused { throw failure }
            // The time spent waiting for an answer doesn't count.
            if scheduler.now() - start >= pauses.lasting + exchange.limits.joinTime {
                failures = 0
            }
            failures += 1
            let end = failure ?? SyncError(.disconnected, "the server ended the connection")
            if let attempts, failures >= attempts { throw end }
            let pause = pauses.pause(afterFailures: failures, random: random())
            exchange.note(.retrying(end, after: pause))
            await scheduler.sleep(for: pause)
        }
    }
}
