public import Replication
public import TidelineCore

/// A step in time travel: the instant of the next write, and the rows that it wrote.
public struct TimeTravelStep: Hashable, Sendable {
    /// The instant of the write.
    public var instant: Timestamp
    /// The rows written at that instant.
    public var writes: [PastWrite]

    /// Creates a step.
    public init(instant: Timestamp, writes: [PastWrite]) {
        self.instant = instant
        self.writes = writes
    }
}
