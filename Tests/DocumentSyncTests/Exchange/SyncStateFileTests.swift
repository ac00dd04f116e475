import Automerge
import DocumentStore
import DocumentSync
import Foundation
import Replication
import Synchronization
import TestSupport
import Testing

/// The sync states that a storage folder of automerge-repo keeps for its peers.
@Suite struct SyncStateFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private static let peer = "3760df37-a4c6-4f66-9ecd-732039a9385d"

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("notes")
    }

    private func open() throws -> AutomergeStore {
        FileManager.default.fileExists(atPath: path)
            ? try AutomergeStore(storageFolder: path)
            : try AutomergeStore(creatingStorageFolder: path)
    }

    private func folder(of id: DocumentID) -> String {
        "\(path)/\(id.text.prefix(2))/\(id.text.dropFirst(2))/sync-state"
    }

    private func states(of id: DocumentID) throws -> [String: Data] {
        let states = folder(of: id)
        var found: [String: Data] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: states)) ?? [] {
            found[name] = try Data(contentsOf: URL(filePath: "\(states)/\(name)"))
        }
        return found
    }

    private func put(_ state: Data, of id: DocumentID, _ name: String = peer) throws {
        let states = folder(of: id)
        try FileManager.default.createDirectory(
            atPath: states, withIntermediateDirectories: true)
        try state.write(to: URL(filePath: "\(states)/\(name)"))
    }

    /// The stored state for shared `heads` in automerge-repo's format: 0x43, the count, the heads.
    private func state(_ heads: Set<ChangeHash>) -> Data {
        Data([0x43, UInt8(heads.count)] + hex(heads.map(\.debugDescription).sorted().joined()))
    }

    /// Runs one sync session between the folder and a peer until both are in sync.
    ///
    /// - Returns: The number of bytes that both sides sent.
    @discardableResult
    private func synchronize(_ id: DocumentID, with peer: Node) async throws -> Int {
        let store = try open()
        let repository = StoreRepository(store)
        let exchange = DocumentExchange(
            of: repository, policy: .everything, storageID: "11111111-2222", limits: Node.patient)
        let (near, far) = MemoryConnection.pair()
        let counted = Counted(near)
        let events = (exchange.events(), peer.exchange.events())
        let serving = running(peer, far, as: .server)
        let running = Task { try? await exchange.run(counted, as: .client) }
        _ = await first(events.0) { $0.isInSync(id) }
        _ = await first(events.1) { $0.isInSync(id) }
        near.cut()
        _ = await (running.value, serving.value)
        await exchange.stop()
        try await repository.finish()
        let uuid = try #require(id.uuid)
        let stored = try #require(try store.openDocument(uuid))
        #expect(stored.automerge.heads() == peer.heads(id))
        try store.close()
        return counted.byteCount
    }

    /// Creates a document with many changes in the folder.
    private func make() throws -> DocumentID {
        let store = try open()
        let workspace = try store.newWorkspace()
        let document = try workspace.index.automerge
        for number in 0..<500 {
            try document.put(obj: .ROOT, key: "key \(number % 20)", value: .Int(Int64(number)))
            document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        }
        try store.close()
        return DocumentID(workspace.id)
    }

    private func node(storageID: String? = peer) -> Node {
        Node("server", .onRequest, storageID: storageID)
    }

    @Test(.timeLimit(.minutes(30)))
    func sharedStateIsKeptForTheNextRun() async throws {
        let id = try make()
        let server = node()
        try await synchronize(id, with: server)
        #expect(try states(of: id) == [Self.peer: state(server.heads(id))])
        // The peer has no sync state, as after a restart.
        let copy = node()
        try await copy.repository.add(
            Document(#require(server.repository[id]).save()), as: id)
        let known = try await synchronize(id, with: copy)
        try FileManager.default.removeItem(atPath: folder(of: id))
        let again = node()
        try await again.repository.add(
            Document(#require(server.repository[id]).save()), as: id)
        let unknown = try await synchronize(id, with: again)
        // No filter is sent for shared changes. A filter needs ten bits per change.
        #expect(known + 400 < unknown, "\(known), \(unknown)")
    }

    @Test func unwrittenStateIsWrittenWithTheNextOne() async throws {
        let id = try make()
        let scheduler = TestScheduler()
        let repository = StoreRepository(try open(), scheduler: scheduler.scheduler)
        // Put a file in place of the folder.
        try Data().write(to: URL(filePath: folder(of: id)))
        try await repository.keepSyncState(Data([1]), of: id, with: "one")
        scheduler.advance(by: .seconds(1))
        // Reading waits for the pending write.
        #expect(try await repository.syncState(of: id, with: "one") == Data([1]))
        try FileManager.default.removeItem(atPath: folder(of: id))
        try await repository.keepSyncState(Data([2]), of: id, with: "two")
        scheduler.advance(by: .seconds(1))
        _ = try await repository.syncState(of: id, with: "two")
        #expect(try states(of: id) == ["one": Data([1]), "two": Data([2])])
    }

    @Test(.timeLimit(.minutes(30)), arguments: [nil, "", "../../../outside", ".hidden", "a/b"])
    func peerWithoutAValidStorageIDHasNoStoredState(_ storageID: String?) async throws {
        let id = try make()
        try await synchronize(id, with: node(storageID: storageID))
        #expect(try states(of: id).isEmpty)
        let outside = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(!outside.contains { $0.contains("outside") || $0.contains("hidden") })
    }

    @Test(.timeLimit(.minutes(30)), arguments: 0...5)
    func wrongOrDamagedStateDoesNotPreventSync(_ number: Int) async throws {
        let id = try make()
        let server = node()
        try await synchronize(id, with: server)
        let old = server.heads(id)
        // The peer edits further and has changes that this side has never seen.
        for round in Int64(0)..<200 {
            try server.repository[id]?.put(obj: .ROOT, key: "by the peer", value: .Int(round))
            server.repository[id]?.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        }
        let damaged: [Data] = [
            Data(), Data([0x43]), Data([0x43, 200, 1, 2]), Data([0x42, 0]),
            // This side lacks the changes of these heads, as after restoring an older folder.
            state(server.heads(id)), Data((0..<300).map { UInt8($0 & 255) }),
        ]
        try put(damaged[number], of: id)
        let bytes = try await synchronize(id, with: server)
        // The changes aren't requested one at a time.
        #expect(bytes < 60_000, "\(bytes)")
        #expect(server.heads(id) != old)
        #expect(try states(of: id)[Self.peer] == state(server.heads(id)))
    }

    @Test(.timeLimit(.minutes(30)))
    func numberOfStoredStatesIsLimited() async throws {
        let id = try make()
        for number in 0..<256 { try put(state([]), of: id, "store-\(number)") }
        let server = node()
        try await synchronize(id, with: server)
        #expect(try states(of: id).count == 256)
        try put(state([]), of: id)
        try await synchronize(id, with: server)
        #expect(try states(of: id)[Self.peer] == state(server.heads(id)))
    }

    @Test(.timeLimit(.minutes(30)))
    func deletedDocumentLeavesNoState() async throws {
        let id = try make()
        try await synchronize(id, with: node())
        let store = try open()
        try store.deleteWorkspace(#require(id.uuid))
        try store.close()
        #expect(try states(of: id).isEmpty)
    }
}

/// A connection that counts the bytes it carries.
private final class Counted: MessageConnection {
    private let connection: MemoryConnection
    private let bytes = Mutex(0)

    init(_ connection: MemoryConnection) { self.connection = connection }

    var byteCount: Int { bytes.withLock { $0 } }
    var address: String { connection.address }

    func receive(limit: Int) async throws(SyncError) -> [UInt8]? {
        let message = try await connection.receive(limit: limit)
        bytes.withLock { $0 += message?.count ?? 0 }
        return message
    }

    func send(_ message: [UInt8]) async throws(SyncError) {
        bytes.withLock { $0 += message.count }
        try await connection.send(message)
    }

    func close(_ last: [UInt8]?) { connection.close(last) }
}
