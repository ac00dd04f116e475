public import Replication

/// Keeps an exchange connected to a server: connects, and connects again after a pause whenever the
/// connection ends.
public struct SyncClient: Sendable {
    private let exchange: DocumentExchange
    private let connector: any MessageConnector
    private let pauses: RetryPauses
    private let scheduler: Scheduler
    private let random: @Sendable () -> Double

    /// A client of one server.
    ///
    /// - Parameters:
    ///   - pauses: How long to wait before trying again.
    ///   - scheduler: What time is measured by; tests pass their own.
    ///   - random: Numbers from 0 to 1 for the random part of pauses.
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

    /// Goes on until the task is cancelled, or a number of connections in a row failed. What
    /// happens is told as events of the exchange.
    ///
    /// - Parameter attempts: After how many failures in a row to give up; `nil` for never.
    /// - Throws: `SyncError`: the last failure.
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
            // Waiting in vain for an answer to the joining is no connection that lasted.
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
