import EntityStore
import Foundation
import KeyValueStore
import Replication
import Synchronization
import TidelineCore

/// What happens in a package, in all of its stores, as one sequence of lines.
final class PackageEvents: Sendable {
    let lines: AsyncStream<WatchLine>
    private let output: AsyncStream<WatchLine>.Continuation
    private let package: StorePackage
    private let own: DeviceID?
    private let keys: KeyValueStore
    private let state = Mutex(State())
    /// Kept for as long as somebody reads the lines.
    private let watcher = Mutex<FolderWatcher?>(nil)

    fileprivate struct State {
        var devices: [DeviceID: DeviceState] = [:]
        /// The catalogs and documents as they were when they were last told of.
        var stamps: [DeviceFile: FileStamp] = [:]
        /// When the first event of a change to entities was seen.
        var arrivals: [DeviceID: ContinuousClock.Instant] = [:]
    }

    /// The status of a device, as each store tells it.
    fileprivate struct DeviceState {
        struct Report: Equatable {
            var state: String
            var problem: String?
        }
        var keys: Report?
        var entities: Report?
        var told: Report?

        /// One word for both, as `tideline info` has it: a device that has entities is not absent
        /// just because it has no keys.
        var whole: Report? {
            guard let entities else { return keys }
            guard let keys, keys.state != "absent" else { return entities }
            return entities.state == "ok" ? keys : entities
        }
    }

    /// Opens the stores of a package and begins to watch. What happens from then on is told.
    ///
    /// - Parameter own: The device whose writes are told as `changed`.
    init(_ package: StorePackage, own: DeviceID?) async throws {
        self.package = package
        self.own = own
        keys = KeyValueStore(package: package, device: nil)
        (lines, output) = AsyncStream.makeStream(of: WatchLine.self)
        noteStamps()
        let watcher = try FolderWatcher(package) { [weak self] in self?.apply($0) }
        self.watcher.withLock { $0 = watcher }
        let keyEvents = keys.events()
        try await keys.load()
        let entities = try await EntityStore.open(package)
        let entityEvents = await entities.events()
        let count = try await entities.count()
        state.withLock { state in
            for status in keys.devices { state.note(status) }
            for device in state.devices.keys { state.devices[device]?.noteTold() }
        }
        await note(entities, tells: false)
        Task {
            // The first of them says that all is loaded; nothing is told before.
            for await event in keyEvents { apply(event) }
        }
        Task {
            if count > 0 {
                let devices = await entities.devices().count
                output.yield(
                    WatchLine(
                        "loaded", store: "entities",
                        ["devices": .count(devices), "entities": .count(count)],
                        text: "loaded: \(devices) devices, \(count) entities"))
            }
            for await event in entityEvents { await apply(event, of: entities) }
        }
    }

    // MARK: Keys and blobs

    private func apply(_ event: KeyValueStore.Event) {
        if case .device(let status) = event.kind {
            tell(status.device) { $0.note(status) }
        } else if let line = WatchLine(event, own: own) {
            output.yield(line)
        }
    }

    // MARK: Entities

    private func apply(_ event: EntityStoreEvent, of entities: EntityStore) async {
        switch event {
        case .changed(let changes):
            var latency: Duration?
            if case .device(let device) = changes.origin {
                latency = state.withLock { $0.arrivals.removeValue(forKey: device) }
                    .map { ContinuousClock.now - $0 }
            }
            await note(entities, tells: true)
            output.yield(WatchLine(changes, own: own, latency: latency))
        case .devices: await note(entities, tells: true)
        // The keys have said so.
        case .gone, .returned: break
        }
    }

    private func note(_ entities: EntityStore, tells: Bool) async {
        for status in await entities.devices() {
            if tells {
                tell(status.device) { $0.note(status) }
            } else {
                state.withLock {
                    $0.note(status)
                    $0.devices[status.device]?.noteTold()
                }
            }
        }
    }

    /// Tells the status of a device, if it has changed.
    private func tell(_ device: DeviceID, _ note: (inout State) -> Void) {
        let hasEntities = (try? package.device(device))?.has(.entities) == true
        let news = state.withLock { state -> DeviceState.Report? in
            note(&state)
            guard let known = state.devices[device], let whole = known.whole else { return nil }
            // A folder that has nothing yet is told of with what comes into it; what is known of
            // its entities follows in a moment.
            if whole.state == "absent", known.told == nil || hasEntities && known.entities == nil {
                return nil
            }
            guard whole != known.told else { return nil }
            state.devices[device]?.noteTold()
            return whole
        }
        if let news { output.yield(WatchLine(device, news.state, news.problem)) }
    }

    // MARK: Catalogs and documents

    /// Stores that are read when somebody asks, and have no rows to follow: that they were written
    /// is what there is to tell.
    private static let wholeFiles: [DatabaseKind: String] = [
        .catalog: "catalog", .documents: "documents",
    ]

    private func apply(_ change: PackageChange) {
        let files = change.needsRescan ? change.files.union(currentFiles()) : change.files
        for file in files.sorted(by: { $0.device < $1.device }) {
            if file.kind == .entities {
                state.withLock { state in
                    let since = state.arrivals[file.device] ?? change.since
                    state.arrivals[file.device] = min(since, change.since)
                }
            }
            guard let store = Self.wholeFiles[file.kind], isNew(file) else { continue }
            output.yield(
                WatchLine(
                    of: file.device, own: own, store: store, rows: nil, keys: [],
                    latency: ContinuousClock.now - change.since))
        }
    }

    private func currentFiles() -> [DeviceFile] {
        ((try? package.devices()) ?? []).flatMap { folder in
            Self.wholeFiles.keys.filter(folder.has).map { DeviceFile(folder.id, $0) }
        }
    }

    private func noteStamps() {
        for file in currentFiles() { _ = isNew(file) }
    }

    /// Whether a file is another than when it was last looked at.
    private func isNew(_ file: DeviceFile) -> Bool {
        let stamp = (try? package.device(file.device)).flatMap {
            try? FileStamp(ofFileAt: $0.path(of: file.kind))
        }
        return state.withLock { state in
            guard state.stamps[file] != stamp else { return false }
            state.stamps[file] = stamp
            return true
        }
    }
}

extension PackageEvents.State {
    fileprivate mutating func note(_ status: DeviceStatus) {
        devices[status.device, default: .init()].keys = .init(
            state: status.state.rawValue, problem: status.problem)
    }

    fileprivate mutating func note(_ status: EntityDeviceStatus) {
        devices[status.device, default: .init()].entities = .init(
            state: status.state.rawValue, problem: status.problem)
    }
}

extension PackageEvents.DeviceState {
    fileprivate mutating func noteTold() { told = whole }
}
