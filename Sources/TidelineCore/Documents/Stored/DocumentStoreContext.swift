import DocumentStore
import Foundation
import KeyValueStore
import Replication
import Synchronization

/// The state shared by the panes of a document store: the store, the open documents, the writing
/// device, and whether writing is unlocked.
final class DocumentStoreContext: Sendable {
    let place: DocumentPlace
    let writing: WriteAccess
    var device: DeviceID? { writing.device }
    /// Whether later writes of other programs and devices are followed.
    let follows: Bool
    let conflicts = DocumentConflictCounts()
    private let state = Mutex(State())
    /// Serializes opening and refreshing documents.
    private let queue = DispatchQueue(label: "tideline-documents")

    private struct State {
        var store: AutomergeStore?
        /// Incremented whenever the list changes.
        var revision: UInt64 = 0
        /// The display names of devices.
        var names: [DeviceID: String] = [:]
        var documents: [UUID: WeakDocument] = [:]
        /// The document that was opened last. Its history is shown.
        var current: StoredDocument?
        /// Edits that aren't on disk yet, by document, with the reason.
        var waiting: [UUID: UnsavedChanges] = [:]
        var emit: (@Sendable (SessionEvent) -> Void)?
    }

    private struct WeakDocument {
        weak var document: StoredDocument?
    }

    init(place: DocumentPlace, device: DeviceID?, isWritable: Bool, follows: Bool = true) {
        self.place = place
        self.follows = follows
        let writer: DeviceID? = if case .coreData = place { nil } else { device }
        writing = WriteAccess(as: writer, isUnlocked: isWritable)
    }

    /// The store; `nil` until its documents have been listed.
    var store: AutomergeStore? { state.withLock { $0.store } }

    var revision: UInt64 { state.withLock { $0.revision } }

    func noteChange() { state.withLock { $0.revision += 1 } }

    /// Runs `body` on the queue, where it may access files.
    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await queue.run(body)
    }

    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Runs `body` on the queue after a pause, during which other work can use the queue. A thread
    /// sleeps for the pause, because a timer might never fire under `faketime`, which changes the
    /// time that the program sees.
    func async(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
        // For a short pause, blocking the queue isn't noticeable.
        guard pause > .milliseconds(100) else { return async(body) }
        DispatchQueue.global(qos: .utility).async { [queue] in
            Thread.sleep(forTimeInterval: pause / .seconds(1))
            queue.async(execute: body)
        }
    }

    /// Opens the store and lists its content. Called on the queue.
    func open() throws -> AutomergeStore {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = follows
        // Use a short timeout, because the user waits for the write. If a write takes longer, it is
        // retried in the background.
        if follows { configuration.lockTimeout = .seconds(2) }
        let store = try place.open(
            device: device, isWritable: device != nil, configuration: configuration)
        var names: [DeviceID: String] = [:]
        if follows, case .package(let package) = place { names = package.deviceNames() }
        state.withLock { state in
            state.store = store
            state.names = names
            state.revision += 1
        }
        return store
    }

    // MARK: Open documents

    /// Returns a document. While a caller holds it, every call returns the same object.
    func document(_ id: UUID) -> StoredDocument {
        state.withLock { state in
            if let known = state.documents[id]?.document { return known }
            state.documents = state.documents.filter { $0.value.document != nil }
            let document = StoredDocument(id, in: self)
            state.documents[id] = WeakDocument(document: document)
            return document
        }
    }

    /// Returns a document if it is in use.
    func knownDocument(_ id: UUID) -> StoredDocument? {
        state.withLock { $0.documents[id]?.document }
    }

    /// The documents in use.
    var openDocuments: Set<UUID> {
        state.withLock { Set($0.documents.filter { $0.value.document != nil }.keys) }
    }

    /// The document that was opened last. Its history is shown.
    var current: StoredDocument? { state.withLock { $0.current } }

    /// Shows the history of a document.
    func show(_ document: StoredDocument) { state.withLock { $0.current = document } }

    // MARK: Names

    /// Returns the title of a document.
    func title(of id: UUID) -> String { store?.title(of: id) ?? id.uuidString }

    /// The devices whose files disappeared after they were read.
    var missingDevices: Set<DeviceID> {
        let missing = (store?.devices ?? []).filter { $0.state == .absent && $0.problem != nil }
        return Set(missing.map(\.device))
    }

    func name(of device: DeviceID) -> String { knownName(of: device) ?? device.name }

    /// Returns the display name of a device, if any.
    func knownName(of device: DeviceID) -> String? { state.withLock { $0.names[device] } }

    // MARK: Writing

    var availability: Availability {
        if case .coreData = place {
            return .unavailable(because: Availability.readOnlyKind)
        }
        return writing.availability
    }

    /// Returns the file to which edits of a document are written, in the store's notation.
    func file(of id: UUID) -> String {
        switch place {
        case .package(let package): return package.shownName(of: .documents, of: device)
        case .storageFolder:
            let text = id.automergeID
            return "\(text.prefix(2))/\(text.dropFirst(2))/incremental"
        case .coreData: return ""
        }
    }

    var createsDevice: Bool {
        if case .package(let package) = place { package.lacksFolder(of: device) } else { false }
    }

    /// The changes that aren't on disk yet; `nil` if there are none.
    var unsaved: UnsavedChanges? {
        state.withLock { $0.waiting }.sorted { $0.key < $1.key }.reduce(nil) { $0 + $1.value }
    }

    func noteWaiting(_ id: UUID, _ changes: UnsavedChanges) {
        state.withLock { $0.waiting[id] = $0.waiting[id] + changes }
    }

    func noteWaiting(_ id: UUID, because reason: String) {
        state.withLock { $0.waiting[id]?.reason = reason }
    }

    /// Removes the waiting edits of a document that has been saved.
    ///
    /// - Returns: Whether edits of the document were waiting.
    @discardableResult
    func noteSaved(_ id: UUID) -> Bool {
        state.withLock { $0.waiting.removeValue(forKey: id) != nil }
    }

    /// The documents with waiting edits.
    var waitingDocuments: [UUID] { state.withLock { $0.waiting.keys.sorted() } }

    // MARK: Events

    func onEvents(_ emit: (@Sendable (SessionEvent) -> Void)?) {
        state.withLock { $0.emit = emit }
    }

    func emit(_ event: SessionEvent) { state.withLock { $0.emit }?(event) }

    /// Releases the store and all documents.
    func release() -> AutomergeStore? {
        state.withLock { state in
            defer {
                state.store = nil
                state.current = nil
                state.emit = nil
            }
            return state.store
        }
    }
}
