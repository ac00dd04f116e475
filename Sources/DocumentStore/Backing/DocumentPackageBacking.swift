import Dispatch
import Foundation
public import Replication
import Synchronization

/// The `Documents.db` files of a package. Reads the files of all devices and writes this device's
/// file.
///
/// The follower reads on its own queue and must not wait for the store, which may be waiting for
/// the follower. So the follower's changes are collected here, and the store fetches them.
final class DocumentPackageBacking: ChunkBacking {
    let readOnlyReason: String?
    let ownDevice: DeviceID?
    let hasWorkspaces = true
    let compaction = CompactionRule.halfOfSnapshots
    private let follower: LogFollower<DocumentLog>
    private let state = Mutex(State())

    private struct State {
        var unfetched = BackingRead()
        var seen: Set<DeviceID> = []
        var isFollowing = false
        var wake: (@Sendable () -> Void)?
        /// Whether the store was notified of changes that it hasn't fetched yet.
        var isNotified = false
    }

    /// Creates the backing without reading the package.
    ///
    /// - Parameter device: The writing device; `nil` for read-only access.
    init(
        _ package: StorePackage, device: DeviceID?, _ configuration: AutomergeStore.Configuration
    ) {
        ownDevice = device
        readOnlyReason = device == nil ? "the store is read-only" : nil
        follower = LogFollower(
            package, device: device, log: DocumentLog(),
            options: LogFollower<DocumentLog>.Options(configuration))
        follower.onEvent { [weak self] in self?.take($0) }
    }

    func read(isWoken: Bool) throws -> BackingRead {
        let isFollowing = state.withLock { state in
            defer { state.isFollowing = true }
            return state.isFollowing
        }
        if !isFollowing {
            try follower.onQueue { try follower.load() }
        } else if !isWoken {
            try follower.onQueue { try follower.sync() }
        }
        return fetch()
    }

    private func fetch() -> BackingRead {
        state.withLock { state in
            let unfetched = state.unfetched
            state.unfetched = BackingRead(isDeleted: unfetched.isDeleted)
            state.isNotified = false
            return unfetched
        }
    }

    func contents(of chunks: [ChunkRecord]) throws -> [ChunkKey: Data] {
        var found: [ChunkKey: Data] = [:]
        var failure: (any Error)?
        for (device, chunks) in Dictionary(grouping: chunks, by: { $0.device }) {
            guard let device else { continue }
            do {
                let path = try follower.package.device(device).path(of: .documents)
                found.merge(try DocumentLog.contents(of: chunks, in: path)) { first, _ in first }
            } catch {
                // An unreadable log doesn't prevent reading other devices' logs.
                failure = failure ?? error
            }
        }
        if let failure, found.isEmpty { throw failure }
        return found
    }

    func write(_ writes: [BackingWrite], at timestamp: Timestamp) throws -> BackingRead {
        let appended = try follower.onQueue {
            if let device = ownDevice,
                let refusal = follower.statuses.first(where: { $0.device == device })?.refusal
            {
                // The log may have been repaired since the last read.
                try follower.sync()
                if follower.statuses.first(where: { $0.device == device })?.refusal != nil {
                    throw DocumentStoreError(
                        .ownLogUnreadable,
                        "this device's log can't be read to its end, so nothing is written to it: "
                            + refusal)
                }
            }
            return try follower.append(DocumentLog.Draft(writes: writes, timestamp: timestamp))
        }
        var read = fetch()
        read.entries += appended.written
        read.unconfirmed = appended.unconfirmed
        return read
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
        notify()
    }

    func close() {
        follower.onQueue { follower.close() }
        state.withLock { $0 = State() }
    }

    /// Collects changes from the follower, on the follower's queue.
    private func take(_ event: LogEvent<DocumentLog>) {
        let statuses = follower.statuses
        state.withLock { state in
            switch event {
            case .loaded(let logs, let kept, let statuses):
                let removed = state.seen.subtracting(kept)
                // Entries of these devices that the store hasn't fetched yet are also dropped.
                state.unfetched.entries.removeAll { entry in
                    !(entry.device.map(kept.contains) ?? false)
                }
                state.unfetched.forgotten.formUnion(removed)
                for rows in logs { state.unfetched.entries += rows.batch }
                state.seen.formUnion(statuses.map(\.device))
            case .rows(let rows):
                state.seen.insert(rows.device)
                state.unfetched.entries += rows.batch
            case .device, .blobs: break
            case .deleted: state.unfetched.isDeleted = true
            case .returned: state.unfetched.isDeleted = false
            }
            state.unfetched.devices = statuses
        }
        notify()
    }

    private func notify() {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isNotified, let wake = state.wake else { return nil }
            state.isNotified = true
            return wake
        }
        guard let wake else { return }
        DispatchQueue.global(qos: .userInitiated).async(execute: wake)
    }
}

extension AutomergeStore {
    /// The maximum size of a chunk. Longer chunks are neither written nor read.
    static let longestChunk: Int64 = 512 << 20

    /// Opens and reads the documents of the package at a path. A missing package is created if
    /// `device` is given.
    ///
    /// - Parameter device: The writing device; `nil` for read-only access. The first write creates
    ///   its folder and file.
    /// - Throws: `ReplicationError`, as `StorePackage(creating:)` and `StorePackage(opening:)`.
    /// - Complexity: See ``load()``.
    public convenience init(
        package path: String, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) throws {
        let package = try StorePackage(path, writtenBy: device)
        try self.init(package, device: device, configuration: configuration)
    }

    /// Reads the documents of an open package.
    ///
    /// - Throws: `ReplicationError` if the package no longer exists.
    /// - Complexity: See ``load()``.
    public convenience init(
        _ package: StorePackage, device: DeviceID? = nil,
        configuration: Configuration = Configuration()
    ) throws {
        self.init(package: package, device: device, configuration: configuration)
        try load()
    }
}
