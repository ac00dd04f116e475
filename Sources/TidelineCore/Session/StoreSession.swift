public import Replication

/// One open store, whatever kind of file it is: its panes, its devices, what happens in it.
///
/// The commands and the screen are written against this and nothing below it. Opening returns at
/// once; rows appear as they are read, announced by ``SessionEvent/Kind/loaded``.
public protocol StoreSession: AnyObject, Sendable {
    /// Where the store is, symbolic links resolved.
    var path: String { get }
    /// The lists on the top floor, in pane order. Those that the file lacks are left out.
    var panes: [Pane] { get }
    /// The header: what the store is and the status of its devices. Cheap; never waits for a file.
    var status: SessionStatus { get }
    /// What happens from now on; each call is a subscription of its own, and the first also gets
    /// what has happened since the store was opened.
    func events() -> AsyncStream<SessionEvent>
    /// Reads what is new, now.
    ///
    /// - Throws: What reading meets.
    func reload() async throws
    /// Allows or forbids writing. A session starts as it was opened.
    func setWritable(_ isWritable: Bool)
    /// The instants at which something was written, coarsened to `buckets` a device.
    ///
    /// - Throws: ``CoreError``, `.noAnswer`, where nothing has a past; what reading meets.
    func timeline(buckets: Int) async throws -> Timeline
    /// The nearest instant after (or before) `instant` at which a row was written, by `device` or
    /// by any.
    ///
    /// - Throws: What reading meets.
    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    /// What `device`, or any, wrote at an instant, the first of it where it is much; nothing where
    /// that is not known.
    ///
    /// - Throws: What reading meets.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite]
    /// Takes back what was changed and could not be written yet; see ``SessionStatus/unsaved``.
    ///
    /// - Returns: What it was about: keys.
    /// - Throws: What reading the store anew meets.
    func withdraw() async throws -> [String]
    /// Saves what is pending and lets go of every file. What could not be saved is lost, and told by
    /// ``SessionStatus/unsaved``.
    func close() async
}

extension StoreSession {
    /// None: the session does not tell.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] { [] }
    /// Nothing: what is written is on disk at once.
    public func withdraw() async throws -> [String] { [] }
}
