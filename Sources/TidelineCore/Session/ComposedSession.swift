import Foundation
public import Replication
import Synchronization

/// A session over the parts of a store.
public final class ComposedSession: StoreSession {
    /// Where the store is, symbolic links resolved.
    public let path: String
    let parts: [any SessionPart]
    /// Every pane that there can be, in the order of the parts: what gives each its number.
    private let possiblePanes: [PaneID]
    private let state: Mutex<State>
    /// Held while it is found out whether the package is there, so that of two parts that tell it
    /// at the same time the later one has the last word.
    private let presence = Mutex(())

    private struct State {
        var isWritable: Bool
        var subscribers: [Int: AsyncStream<SessionEvent>.Continuation] = [:]
        var nextSubscriber = 0
        /// What happened before anybody listened; `nil` once somebody has.
        var early: [SessionEvent]? = []
        /// How each device was when it was last told of.
        var told: [DeviceID: Told] = [:]
        /// Since when a device is well again in some of its stores, which is not told yet.
        var held: [DeviceID: ContinuousClock.Instant] = [:]
        /// Whether it is looked again once those were held for long enough.
        var isHolding = false
        /// The devices that nothing was wrong with at some time.
        var sound: Set<DeviceID> = []
        var isGone = false
        /// Whether it is gone, or back and not read anew yet: what is amiss with devices then is that.
        var isAway = false
        /// The parts that have read what is there, by their places.
        var loaded: Set<Int> = []
        /// What was wrong when it was last looked.
        var problems: [String] = []
        /// What looking at all files had found then.
        var found: [Finding] = []
    }

    private struct Told {
        var state: String
        var problem: String?
        var name: String
        /// What a carrier left beside its files.
        var copies: [String]
        /// Why a store cannot read all of it, by store.
        var problems: [String: String]

        init(_ device: SessionStatus.Device) {
            (state, problem, name) = (device.state, device.problem, device.name)
            copies = device.stores.flatMap(\.copies)
            problems = Dictionary(
                device.stores.compactMap { report in report.problem.map { (report.store, $0) } },
                uniquingKeysWith: { first, _ in first })
        }

        /// Whether there is nothing to tell: what one store has beside worse things of another is not
        /// told.
        func isLike(_ other: Self) -> Bool {
            state == other.state && problem == other.problem && name == other.name
                && copies == other.copies
        }

        /// Whether some of its stores are well again, and nothing else is new.
        func isMendedInPart(since before: Self) -> Bool {
            problems.count < before.problems.count
                && problems.allSatisfy { before.problems[$0.key] == $0.value }
                && name == before.name && copies == before.copies
        }
    }

    /// How many events are kept for the first listener.
    private static let earlyLimit = 100

    /// How long it is waited for the rest of a device of which some files are back: a carrier brings
    /// them one after the other.
    private let patience: Duration

    /// Begins to load every part; returns at once.
    ///
    /// - Precondition: No two panes have one identifier.
    public convenience init(path: String, parts: [any SessionPart], isWritable: Bool) {
        self.init(path: path, parts: parts, isWritable: isWritable, patience: .seconds(1))
    }

    init(path: String, parts: [any SessionPart], isWritable: Bool, patience: Duration) {
        possiblePanes = parts.flatMap(\.possiblePanes)
        precondition(
            Set(possiblePanes).count == possiblePanes.count, "two panes have one identifier")
        self.path = path
        self.parts = parts
        self.patience = patience
        state = Mutex(State(isWritable: isWritable))
        for (place, part) in parts.enumerated() {
            part.setWritable(isWritable)
            part.start { [weak self] in self?.take($0, fromPartAt: place) }
        }
    }

    /// Those of all parts, in their order, numbered by all that there can be.
    public var panes: [Pane] { parts.flatMap(\.panes).numbered(among: possiblePanes) }

    /// What all parts know, as one.
    public var status: SessionStatus {
        SessionStatus(parts.map(\.status), isWritable: state.withLock { $0.isWritable })
    }

    private var statusWithoutFindings: SessionStatus {
        let parts = parts.map { part in
            var status = part.status
            status.findings = nil
            return status
        }
        return SessionStatus(parts, isWritable: false)
    }

    /// What happens in any part. Of events that nobody reads the newest 10,000 are kept.
    public func events() -> AsyncStream<SessionEvent> {
        // A reader that stopped reading must not fill the memory; a lost event is made good by
        // asking for the window again.
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

    /// Tells what a part tells, unless another part has: what is true of the whole store is told
    /// once.
    private func take(_ event: SessionEvent, fromPartAt place: Int) {
        var event = event
        switch event.kind {
        case .deleted, .returned:
            let (isGone, isNews) = presence.withLock { _ in
                let isGone = status.phase == .gone
                return state.withLock { state in
                    defer {
                        state.isGone = isGone
                        if isGone { state.isAway = true }
                    }
                    return (isGone, state.isGone != isGone)
                }
            }
            // What was to be read while it was away could not be.
            if isNews, !isGone {
                Task { [weak self] in
                    try? await self?.reload()
                    self?.endAbsence(toldByPartAt: place)
                }
            }
            event.report = isNews ? .package(isGone: isGone) : nil
            if !isNews { event = SessionEvent(.status, date: event.date) }
        case .loaded where state.withLock({ $0.loaded.insert(place).inserted }):
            for device in statusWithoutFindings.devices { _ = news(of: device) }
        case .loaded where state.withLock({ $0.isAway }): break
        case .devices where state.withLock({ $0.isAway }): event.kind = .status
        case .loaded, .devices:
            // What looking at all files finds is told by itself: it is looked again when devices are
            // in another state.
            let now = statusWithoutFindings
            // What came half is told of once it was looked at again.
            let changed = now.devices.filter { !$0.isEarly }.flatMap { device in
                news(of: device).map { (device, $0) }
            }
            let hasOtherProblems = state.withLock { state in
                defer { state.problems = now.problems }
                return state.problems != now.problems
            }
            if hasOtherProblems || !changed.isEmpty {
                for part in parts { part.devicesChanged() }
            }
            lookAgainAtHeld(among: now.devices, toldByPartAt: place)
            for (device, news) in changed {
                emit(
                    SessionEvent(
                        .device(state: device.state, problem: device.problem), date: event.date,
                        device: device.id, summary: news.told(inStoreAt: path),
                        report: EventReport(device, news: news)))
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

    /// Tells what is new about devices since the package went, once it is read anew.
    private func endAbsence(toldByPartAt place: Int) {
        let isBack = state.withLock { state in
            if !state.isGone { state.isAway = false }
            return !state.isAway
        }
        if isBack { take(SessionEvent(.devices, date: Date()), fromPartAt: place) }
    }

    /// Tells what is still wrong with devices of which the rest has not come.
    private func lookAgainAtHeld(
        among devices: [SessionStatus.Device], toldByPartAt place: Int
    ) {
        let begins = state.withLock { state in
            if !state.held.isEmpty {
                // Of one that no store knows any more nothing will be told.
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

    /// - Returns: What is new about a device since it was last told of. A folder that has nothing yet
    ///   is told of with what comes into it, and one of which some files are back once the others are,
    ///   or do not come.
    private func news(of device: SessionStatus.Device) -> [String] {
        let now = Told(device)
        return state.withLock { state in
            let before = state.told[device.id]
            let trouble = Self.trouble(of: now)
            if trouble != nil, let before, now.isMendedInPart(since: before) {
                let since = state.held[device.id] ?? .now
                state.held[device.id] = since
                if since.duration(to: .now) < patience { return [] }
            }
            state.held[device.id] = nil
            if before == nil && device.state == "absent" { return [] }
            state.told[device.id] = now
            if let before, before.isLike(now) { return [] }
            let wasSound = state.sound.contains(device.id)
            if trouble == nil { state.sound.insert(device.id) }
            guard let before else {
                // What it wrote is told by itself, as each store reads it.
                return ["is new" + (trouble.map { ", and \($0)" } ?? "")] + now.copies
            }
            // What is there for the first time says more than all that is there.
            let news =
                (before.name == now.name
                    ? [] : ["has another name: \(before.name) → \(now.name)"])
                + now.copies.filter { !before.copies.contains($0) }
            return news.isEmpty
                ? [trouble ?? "is \(now.state)" + (wasSound ? " again" : " now")] : news
        }
    }

    /// What is wrong with a device, in words that follow its name.
    private static func trouble(of device: Told) -> String? {
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

    /// Reads what is new in every part, one after the other.
    ///
    /// - Throws: What the first part met whose data could not be read; the others are read.
    public func reload() async throws {
        var failure: (any Error)?
        for part in parts {
            do { try await part.reload() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Allows or forbids writing in every part, and tells it.
    public func setWritable(_ isWritable: Bool) {
        state.withLock { $0.isWritable = isWritable }
        for part in parts { part.setWritable(isWritable) }
        emit(SessionEvent(.status, date: Date()))
    }

    /// When each device wrote, in any part.
    ///
    /// - Throws: ``CoreError``, `.noAnswer`, where no part has a past; what reading meets.
    public func timeline(buckets: Int) async throws -> Timeline {
        var activities: [Activity] = []
        for part in parts { activities.append(try await part.activity(buckets: buckets)) }
        guard let timeline = Timeline(activities, buckets: buckets) else {
            throw CoreError(.noAnswer, "nothing here has a past")
        }
        return timeline
    }

    /// The nearest instant at which any part was written.
    ///
    /// - Throws: What reading meets.
    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    {
        var nearest: Timestamp?
        for part in parts {
            guard
                let candidate = try await part.step(
                    from: instant, backwards: backwards, device: device)
            else { continue }
            nearest =
                nearest.map { backwards ? max($0, candidate) : min($0, candidate) } ?? candidate
        }
        return nearest
    }

    /// What was written at an instant, in every part.
    ///
    /// - Throws: What reading meets.
    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        var writes: [PastWrite] = []
        for part in parts { writes += try await part.writes(at: instant, device: device) }
        return writes
    }

    /// Takes back what could not be written yet, in every part.
    ///
    /// - Throws: What reading the store anew meets.
    public func withdraw() async throws -> [String] {
        var subjects: [String] = []
        for part in parts { subjects += try await part.withdraw() }
        return subjects
    }

    /// Closes every part and ends the sequences of events.
    public func close() async {
        for part in parts { await part.close() }
        let subscribers = state.withLock { state in
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
