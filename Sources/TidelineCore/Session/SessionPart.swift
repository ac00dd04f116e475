public import Replication

/// One data model within an open store: its panes and what it adds to the header and the events.
///
/// A package is several parts side by side; a single file is one.
public protocol SessionPart: AnyObject, Sendable {
    /// The lists that the part adds.
    var panes: [Pane] { get }
    /// Adds what this part knows to the header. Cheap; never waits for a file.
    func contribute(to status: inout SessionStatus)
    /// Begins to load and to watch. Returns at once; `emit` may be called from any thread.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void)
    /// Reads what is new, now.
    func reload() async
    /// Allows or forbids writing.
    func setWritable(_ isWritable: Bool)
    /// The instants at which something was written, coarsened; `nil` where the part has no past.
    ///
    /// - Throws: What reading meets.
    func timeline(buckets: Int) async throws -> Timeline?
    /// The nearest instant at which something was written; `nil` where there is none.
    ///
    /// - Throws: What reading meets.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Takes back what was changed and could not be written yet.
    ///
    /// - Returns: What it was about: keys.
    /// - Throws: What reading the store anew meets.
    func withdraw() async throws -> [String]
    /// Saves what is pending and lets go of every file. What could not be saved is told by
    /// ``contribute(to:)`` from then on.
    func close() async
}

extension SessionPart {
    /// `nil`: the part has no past.
    public func timeline(buckets: Int) async throws -> Timeline? { nil }
    /// `nil`: the part has no past.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    { nil }
    /// Nothing: what is written is on disk at once.
    public func withdraw() async throws -> [String] { [] }
}
