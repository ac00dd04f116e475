import Dispatch
public import GRDB
public import Replication
import Synchronization

/// A set of texts that several devices share and that only grows: the union of all devices' texts.
public final class GrowOnlySet: Sendable {
    public enum Event: Sendable {
        case loaded, grown(Set<Name>), device(DeviceStatus), saveFailed(String), deleted, returned
    }

    private struct Memory {
        var stored: Set<Name> = []
        var pending = PendingRows<[Name]>()
    }

    private let memory = Mutex(Memory())
    private let hub = EventHub<Event>()
    private let follower: LogFollower<SetLog>
    private let schedule: SaveSchedule

    public init(
        package: StorePackage, device: DeviceID?, options: LogFollower<SetLog>.Options = .init()
    ) {
        follower = LogFollower(
            package, device: device, log: SetLog(clock: options.clock), options: options)
        schedule = SaveSchedule(scheduler: options.scheduler)
        follower.onEvent { [weak self] in self?.merge($0) }
    }

    public func load() throws { try follower.onQueue { try follower.load() } }
    public func sync() throws { try follower.onQueue { try follower.sync() } }
    public func save() throws { try follower.onQueue { try saveOnQueue() } }
    public func events() -> AsyncStream<Event> { hub.events() }

    public func close() throws {
        defer { hub.finish() }
        try follower.onQueue {
            defer {
                follower.close()
                memory.withLock { $0 = Memory() }
                schedule.reset()
            }
            try saveOnQueue()
        }
    }

    public var elements: Set<Name> { memory.withLock { $0.stored.union($0.pending.all) } }
    public var unsaved: [Name] { memory.withLock { $0.pending.all } }
    public var devices: [DeviceStatus] { follower.onQueue { follower.statuses } }

    /// Puts elements into the set, and writes them a second later.
    public func insert(_ elements: String...) {
        memory.withLock { $0.pending.waiting += elements.map { Name($0) } }
        schedule.touch { self.saveSoon() }
    }

    /// Withdraws the elements that aren't written yet.
    public func withdraw() {
        follower.onQueue { memory.withLock { $0.pending.waiting = [] } }
        schedule.succeeded()
    }

    private func saveSoon() { follower.queue.async { try? self.saveOnQueue() } }

    private func saveOnQueue() throws {
        let rows = memory.withLock { $0.pending.begin() }
        guard !rows.isEmpty else { return }
        var unconfirmed: ReplicationError?
        do {
            try schedule.attempt(again: { self.saveSoon() }) {
                unconfirmed = try follower.append(rows).unconfirmed
            }
            memory.withLock {
                $0.stored.formUnion(rows)
                $0.pending.end(isWritten: true)
            }
        } catch {
            memory.withLock { $0.pending.end(isWritten: false) }
            hub.post(.saveFailed("\(error)"))
            throw error
        }
        if let unconfirmed { throw unconfirmed }
    }

    private func merge(_ event: LogEvent<SetLog>) {
        switch event {
        case .loaded(let logs, _, _):
            memory.withLock { $0.stored = Set(logs.flatMap { $0.batch }) }
            hub.post(.loaded)
        case .rows(let rows):
            let new = memory.withLock { memory in
                defer { memory.stored.formUnion(rows.batch) }
                return Set(rows.batch).subtracting(memory.stored)
            }
            if !new.isEmpty { hub.post(.grown(new)) }
        case .device(let status, let isNotable): if isNotable { hub.post(.device(status)) }
        case .deleted: hub.post(.deleted)
        case .returned: hub.post(.returned)
        case .blobs: break
        }
    }
}

extension DatabaseKind {
    public static let set = DatabaseKind(named: "Set")
}

/// The form of the set's rows in a device's file.
public struct SetLog: ConsecutiveLog, WrittenLog {
    public typealias Batch = [Name]
    public let kind = DatabaseKind.set
    public let table = LogTable(name: "element", mark: "time")
    let clock: HybridClock

    public func identity(in db: Database) throws -> LogIdentity {
        guard let identity = try LogIdentity.fetch(from: db), identity.format == "set-1",
            try db.ordinaryColumns(of: "element") == ["id", "time", "value"]
        else { throw ReplicationError(.unreadable, "it is not a set") }
        return identity
    }

    public func rows(
        _ db: Database, of device: DeviceID, behind progress: inout LogProgress,
        _ head: inout LogHead<NoNotes>
    ) throws -> [Name] {
        var elements: [Name] = []
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, time, value FROM element WHERE id > ? ORDER BY id",
            arguments: [progress.start.lastID])
        while let row = try rows.next() {
            guard let id = row.integer("id"), let time = row.integer("time"),
                let value = row.text("value")
            else { throw ReplicationError(.unreadable, "it has an invalid row") }
            guard progress.accept(id, mark: time) else { break }
            if head.note(time) { elements.append(Name(value)) }
        }
        return elements
    }

    public func create(in db: Database, as device: DeviceID) throws {
        try LogIdentity(format: "set-1", device: device).insert(into: db)
        try db.execute(sql: "CREATE TABLE element (id INTEGER PRIMARY KEY, time, value)")
    }

    public func append(
        _ rows: [Name], as device: DeviceID, behind head: inout LogHead<NoNotes>,
        _ others: inout [Name], to db: Database
    ) throws {
        let time = try clock.tick(after: head.newest).microseconds
        for element in rows {
            let id = try head.append(at: time)
            try db.execute(
                sql: "INSERT INTO element VALUES (?, ?, ?)", arguments: [id, time, element.text])
        }
    }
}
