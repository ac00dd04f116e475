import Foundation
public import Replication
import Synchronization

/// A session that combines the parts of a store.
public final class ComposedSession: StoreSession {
    /// The path of the store, with symbolic links resolved.
    public let path: String
    let parts: [any SessionPart]
    /// The pane of all conflicts, which follows the panes of the first part.
    private let conflicts: Pane?
    /// All panes that the session can have, in order. The position determines a pane's number.
    private let possiblePanes: [Pane]
    private let state: Mutex<State>
    /// Locked while checking whether the package exists. If two parts report at the same time, the
    /// result of the later check is used.
    private let presence = Mutex(())

    private struct State {
        var isWritable: Bool
        var subscribers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var nextSubscriber = 0
        /// The events from before the first subscriber; `nil` after the first subscription.
        var early: [SessionEvent]? = []
        /// The state of each device as last reported.
        var reported: [DeviceID: ReportedState] = [:]
        /// The devices for which some stores have recovered but others haven't, with the time of
        /// the recovery. These recoveries aren't reported yet.
        var held: [DeviceID: ContinuousClock.Instant] = [:]
        /// Whether a check of the held devices is scheduled.
        var isHolding = false
        /// The devices that were without problems at some time.
        var sound: Set<DeviceID> = []
        var isMissing = false
        /// Whether the package is missing, or has returned but isn't reloaded yet. While this is
        /// true, the missing package is the cause of all device problems.
        var isAway = false
        /// The indexes of the parts that have loaded.
        var loaded: Set<Int> = []
        /// The problems at the last check.
        var problems: [String] = []
        /// The findings of the last check of all files.
        var found: [DoctorFinding] = []
    }

    private struct ReportedState {
        var state: String
        var problem: String?
        var name: String
        /// Conflict copies that a sync service left.
        var copies: [String]
        /// For each store, the reason why its file can't be read completely.
        var problems: [String: String]

        init(_ device: SessionStatus.Device) {
            (state, problem, name) = (device.state, device.problem, device.name)
            copies = device.stores.flatMap(\.copies)
            problems = Dictionary(
                keepingFirst: device.stores.compactMap { report in
                    report.problem.map { (report.store, $0) }
                })
        }

        /// Returns whether there is no change to report. A store's problem isn't reported if
        /// another store has a worse problem.
        func isSame(_ other: Self) -> Bool {
            state == other.state && problem == other.problem && name == other.name
                && copies == other.copies
        }

        /// Returns whether some stores have recovered and nothing else has changed.
        func hasPartlyRecovered(since before: Self) -> Bool {
            problems.count < before.problems.count
                && problems.allSatisfy { before.problems[$0.key] == $0.value }
                && name == before.name && copies == before.copies
        }
    }

    /// The maximum number of events kept for the first subscriber.
    private static let earlyLimit = 100

    /// The time to wait for the other files of a device after some files have returned. A sync
    /// service delivers files one by one.
    private let patience: Duration

    /// Starts loading every part and returns at once.
    ///
    /// - Parameters:
    ///   - isWritable: Whether writing is unlocked from the start.
    ///   - patience: The time to wait for the other files of a device after some have returned.
    /// - Precondition: All panes have different identifiers.
    public init(
        path: String, parts: [any SessionPart], isWritable: Bool, patience: Duration = .seconds(1)
    ) {
        conflicts = Pane(conflictsOf: parts)
        possiblePanes = Self.joined(parts.map(\.possiblePanes), conflicts)
        precondition(
            Set(possiblePanes.map(\.id)).count == possiblePanes.count,
            "two panes have the same identifier")
        self.path = path
        self.parts = parts
        self.patience = patience
        state = Mutex(State(isWritable: isWritable))
        for (place, part) in parts.enumerated() {
            part.setWritable(isWritable)
            part.start { [weak self] in self?.take($0, fromPartAt: place) }
        }
    }

    /// The panes of all parts, in the order of their groups, with their numbers.
    public var panes: [Pane] {
        Self.joined(parts.map(\.panes), conflicts).numbered(among: possiblePanes)
    }

    /// Returns the panes of all parts in the order of their groups, with the pane of all conflicts
    /// after the first part.
    private static func joined(_ parts: [[Pane]], _ conflicts: Pane?) -> [Pane] {
        let panes =
            (parts.first ?? []) + (conflicts.map { [$0] } ?? []) + parts.dropFirst().joined()
        return panes.grouped()
    }

    /// The merged status of all parts.
    public var status: SessionStatus {
        var status = SessionStatus(
            parts.map(\.status), isWritable: state.withLock { $0.isWritable })
        if conflicts != nil { status.counts[.conflicts] = status.conflictCount }
        return status
    }

    private var statusWithoutFindings: SessionStatus {
        let parts = parts.map { part in
            var status = part.status
            status.findings = nil
            return status
        }
        return SessionStatus(parts, isWritable: false)
    }

    /// Returns the events of all parts. For a slow subscriber, the newest 10,000 events are
    /// buffered.
    public func events() -> AsyncStream<SessionEvent> {
        // A subscriber that stopped reading must not fill the memory. Lost events do no harm,
        // because subscribers request the current window anyway.
        let (stream, continuation) = AsyncStream.makeStream(
            of: SessionEvent.self, bufferingPolicy: .bufferingNewest(10_000))
        let number = state.withLock { state in
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            for event in state.early ?? [] { continuation.yield(event) }
            state.early = nil
            return state.nextSubscriber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Forwards an event of a part. An event about the whole store is forwarded only once, even if
    /// several parts report it.
    private func take(_ event: SessionEvent, fromPartAt place: Int) {
        var event = event
        switch event.kind {
        case .deleted, .returned:
            let (isMissing, isNews) = presence.withLock { _ in
                let isMissing = status.phase == .missing
                return state.withLock { state in
                    defer {
                        state.isMissing = isMissing
                        if isMissing { state.isAway = true }
                    }
                    return (isMissing, state.isMissing != isMissing)
                }
            }
            // Reads failed while the package was missing, so read again.
            if isNews, !isMissing {
                Task { [weak self] in
                    try? await self?.reload()
                    self?.endAbsence(reportedByPartAt: place)
                }
            }
            event.report = isNews ? .package(isMissing: isMissing) : nil
            if !isNews { event = SessionEvent(.status, date: event.date) }
        case .loaded where state.withLock({ $0.loaded.insert(place).inserted }):
            for device in statusWithoutFindings.devices { _ = changes(of: device) }
        case .loaded where state.withLock({ $0.isAway }): break
        case .devices where state.withLock({ $0.isAway }): event.kind = .status
        case .loaded, .devices:
            // Findings are reported separately, because all files are checked again when devices
            // change.
            let now = statusWithoutFindings
            // A device that arrived half-copied is reported after the second check.
            let changed = now.devices.filter { !$0.isEarly }.flatMap { device in
                changes(of: device).map { (device, $0) }
            }
            let hasOtherProblems = state.withLock { state in
                defer { state.problems = now.problems }
                return state.problems != now.problems
            }
            if hasOtherProblems || !changed.isEmpty {
                for part in parts { part.devicesChanged() }
            }
            recheckHeldProblems(among: now.devices, reportedByPartAt: place)
            for (device, change) in changed {
                emit(
                    SessionEvent(
                        .device(state: device.state, problem: device.problem), date: event.date,
                        device: device.id, summary: change.withRelativePaths(inStoreAt: path),
                        report: EventReport(device, change: change)))
            }
            let found = parts.flatMap { $0.status.findings ?? [] }
            let hasOtherFindings = state.withLock { state in
                defer { state.found = found }
                return state.found != found
            }
            if case .devices = event.kind, !hasOtherProblems, !hasOtherFindings {
                event.kind = .status
            }
        default: break
        }
        emit(event)
    }

    /// After the package is reloaded, reports the changes of devices since it disappeared.
    private func endAbsence(reportedByPartAt place: Int) {
        let isBack = state.withLock { state in
            if !state.isMissing { state.isAway = false }
            return !state.isAway
        }
        if isBack { take(SessionEvent(.devices, date: Date()), fromPartAt: place) }
    }

    /// Reports the remaining problems of devices whose other files have not returned.
    private func recheckHeldProblems(
        among devices: [SessionStatus.Device], reportedByPartAt place: Int
    ) {
        let begins = state.withLock { state in
            if !state.held.isEmpty {
                // Devices that are no longer known to any store aren't reported.
                let known = Set(devices.map(\.id))
                state.held = state.held.filter { known.contains($0.key) }
            }
            defer { state.isHolding = !state.held.isEmpty }
            return !state.held.isEmpty && !state.isHolding
        }
        guard begins else { return }
        Task { [weak self, patience] in
            try await Task.sleep(for: patience)
            self?.state.withLock { $0.isHolding = false }
            self?.take(SessionEvent(.devices, date: Date()), fromPartAt: place)
        }
    }

    /// Returns the changes of a device to report, and records its state as reported.
    ///
    /// An empty folder is reported when it gets content. If some files of a device have returned,
    /// the device is reported when all its files have returned, or when the time to wait is over.
    ///
    /// - Returns: The changes; empty if there is nothing to report.
    private func changes(of device: SessionStatus.Device) -> [String] {
        let now = ReportedState(device)
        return state.withLock { state in
            let before = state.reported[device.id]
            let problem = Self.problem(of: now)
            if problem != nil, let before, now.hasPartlyRecovered(since: before) {
                let since = state.held[device.id] ?? .now
                state.held[device.id] = since
                if since.duration(to: .now) < patience { return [] }
            }
            state.held[device.id] = nil
            if before == nil && device.state == "absent" { return [] }
            state.reported[device.id] = now
            if let before, before.isSame(now) { return [] }
            let wasSound = state.sound.contains(device.id)
            if problem == nil { state.sound.insert(device.id) }
            guard let before else {
                // Each store reports the rows of a new device when it reads them.
                return ["is new" + (problem.map { ", and \($0)" } ?? "")] + now.copies
            }
            // If the name or the copies have changed, report only these changes.
            let changes =
                (before.name == now.name
                    ? [] : ["was renamed: \(before.name) → \(now.name)"])
                + now.copies.filter { !before.copies.contains($0) }
            return changes.isEmpty
                ? [problem ?? "is \(now.state)" + (wasSound ? " again" : " now")] : changes
        }
    }

    /// Returns the problem of a device, worded to follow its name.
    private static func problem(of device: ReportedState) -> String? {
        if device.state == "ok" { return device.problem }
        return "is \(device.state)" + (device.problem.map { ": \($0)" } ?? "")
    }

    private func emit(_ event: SessionEvent) {
        let subscribers = state.withLock { state in
            if let early = state.early, early.count < Self.earlyLimit { state.early?.append(event) }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.yield(event) }
    }

    /// Reloads every part in turn.
    ///
    /// - Throws: The first error. The other parts are still reloaded.
    public func reload() async throws {
        var failure: (any Error)?
        for part in parts {
            do { try await part.reload() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Checks the folder that this device writes to. See ``StoreSession/writeObstacle()``.
    public func writeObstacle() -> String? {
        WriteObstacle.find(inStoreAt: path, device: status.ownDevice)
    }

    /// Locks or unlocks writing in every part, and notifies subscribers.
    public func setWritable(_ isWritable: Bool) {
        state.withLock { $0.isWritable = isWritable }
        for part in parts { part.setWritable(isWritable) }
        emit(SessionEvent(.status, date: Date()))
    }

    /// Sets in every part whether history is read to fill ``SessionEvent/parts``.
    public func setReadsParts(_ readsParts: Bool) {
        for part in parts { part.setReadsParts(readsParts) }
    }

    /// Returns the write activity of each device, over all parts.
    ///
    /// - Throws: ``CoreError`` with code `.noAnswer` if no part has a history; errors from reading.
    public func timeline(buckets: Int) async throws -> Timeline {
        var activities: [Activity] = []
        for part in parts { activities.append(try await part.activity(buckets: buckets)) }
        guard let timeline = Timeline(activities, buckets: buckets) else {
            throw CoreError(.noAnswer, "this store has no history")
        }
        return timeline
    }

    /// Returns the nearest instant at which any part was written.
    ///
    /// - Throws: Errors from reading.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        var candidates: [Timestamp] = []
        for part in parts {
            let found = try await part.step(from: instant, backwards: backwards, device: device)
            if let found { candidates.append(found) }
        }
        return backwards ? candidates.max() : candidates.min()
    }

    /// Returns the writes at an instant, from every part.
    ///
    /// - Throws: Errors from reading.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        var writes: [PastWrite] = []
        for part in parts { writes += try await part.writes(at: instant, device: device) }
        return writes
    }

    /// Withdraws the changes that aren't saved yet, in every part.
    ///
    /// - Throws: Errors from reloading the store.
    public func withdraw() async throws -> [String] {
        var subjects: [String] = []
        for part in parts { subjects += try await part.withdraw() }
        return subjects
    }

    /// Closes every part and ends the event sequences.
    public func close() async {
        for part in parts { await part.close() }
        let subscribers = state.withLock { state in
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
