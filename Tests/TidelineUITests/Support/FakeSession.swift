import Foundation
import Replication
import Synchronization

@testable import TidelineCore

/// A session over fake lists that emits events when a test asks for them.
final class FakeSession: StoreSession {
    let path: String
    private let state: Mutex<State>

    private struct State {
        var panes: [Pane]
        var status: SessionStatus
        var subscribers: [AsyncStream<SessionEvent>.Continuation] = []
        var instants: [Timestamp] = []
        var reloadFailure: CoreError?
        var timelineFailure: CoreError?
        var writers: [DeviceID] = []
        var values = ["1", "2"]
        var obstacle: String?
        var link = Detail.Link(pane: .keys, row: RowID("note/2/title"))
    }

    init(path: String = "/nowhere/notes.store", panes: [Pane], status: SessionStatus) {
        self.path = path
        state = Mutex(State(panes: panes, status: status))
    }

    var panes: [Pane] {
        let panes = state.withLock { $0.panes }
        return panes.numbered(among: panes)
    }

    var status: SessionStatus {
        get { state.withLock { $0.status } }
        set { state.withLock { $0.status = newValue } }
    }

    var instants: [Timestamp] {
        get { state.withLock { $0.instants } }
        set { state.withLock { $0.instants = newValue } }
    }

    /// The error that loading the timeline throws.
    var timelineFailure: CoreError? {
        get { state.withLock { $0.timelineFailure } }
        set { state.withLock { $0.timelineFailure = newValue } }
    }

    /// The authors of the writes at successive instants, or an empty array for a single author.
    var writers: [DeviceID] {
        get { state.withLock { $0.writers } }
        set { state.withLock { $0.writers = newValue } }
    }

    /// The values that the writes report.
    var values: [String] {
        get { state.withLock { $0.values } }
        set { state.withLock { $0.values = newValue } }
    }

    /// Why unlocking fails.
    var obstacle: String? {
        get { state.withLock { $0.obstacle } }
        set { state.withLock { $0.obstacle = newValue } }
    }

    /// The link that the writes report.
    var linkOfWrites: Detail.Link {
        get { state.withLock { $0.link } }
        set { state.withLock { $0.link = newValue } }
    }

    func events() -> AsyncStream<SessionEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        state.withLock { $0.subscribers.append(continuation) }
        return stream
    }

    func emit(_ event: SessionEvent) {
        for subscriber in state.withLock({ $0.subscribers }) { subscriber.yield(event) }
    }

    var reloadFailure: CoreError? {
        get { state.withLock { $0.reloadFailure } }
        set { state.withLock { $0.reloadFailure = newValue } }
    }

    func reload() async throws {
        if let reloadFailure { throw reloadFailure }
    }

    func writeObstacle() -> String? { obstacle }

    func setWritable(_ isWritable: Bool) {
        state.withLock { $0.status.isWritable = isWritable }
    }

    func timeline(buckets: Int) async throws -> Timeline {
        if let failure = state.withLock({ $0.timelineFailure }) { throw failure }
        let instants = instants
        let first = instants.first ?? Timestamp(microseconds: 0)
        let last = instants.last ?? Timestamp(microseconds: 1)
        var activity: [DeviceID: [Int]] = [:]
        for device in status.devices {
            activity[device.id] = (0..<buckets).map { $0 % 7 }
        }
        return Timeline(first: first, last: last, activity: activity)
    }

    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        backwards ? instants.last { $0 < instant } : instants.first { $0 > instant }
    }

    /// Reports each instant as a write to the last key.
    func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        guard let number = instants.firstIndex(of: instant) else { return [] }
        let writers = writers
        let author = writers.isEmpty ? try DeviceID("mac") : writers[number % writers.count]
        let write = PastWrite(
            .device(author), "set note/2/title: ", values: values,
            link: linkOfWrites)
        return instant == instants.last
            ? [write] : [write, PastWrite(.device(try DeviceID("ipad")), "removed a")]
    }

    func close() async {}
}
