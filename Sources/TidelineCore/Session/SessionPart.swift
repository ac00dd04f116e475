public import Replication

/// One data model within an open store: its panes and what it adds to the header and the events.
///
/// A package is several parts side by side; a single file is one.
public protocol SessionPart: AnyObject, Sendable {
    var panes: [Pane] { get }
    /// Adds what this part knows to the header. Cheap; never waits for a file.
    func contribute(to status: inout SessionStatus)
    /// Begins to load and to watch. Returns at once; `emit` may be called from any thread.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void)
    func reload() async
    func setWritable(_ isWritable: Bool)
    func timeline(buckets: Int) async throws -> Timeline?
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// Takes back what was changed and could not be written yet.
    ///
    /// - Returns: What it was about: keys.
    func withdraw() async throws -> [String]
    /// Saves what is pending and lets go of every file. What could not be saved is told by
    /// ``contribute(to:)`` from then on.
    func close() async
}

extension SessionPart {
    public func timeline(buckets: Int) async throws -> Timeline? { nil }
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    { nil }
    public func withdraw() async throws -> [String] { [] }
}
