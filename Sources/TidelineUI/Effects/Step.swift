public import Replication
public import TidelineCore

/// A step in time travel: the instant of the next write, and what it wrote.
public struct Step: Hashable, Sendable {
    public var instant: Timestamp
    public var writes: [PastWrite]

    public init(instant: Timestamp, writes: [PastWrite]) {
        self.instant = instant
        self.writes = writes
    }
}
