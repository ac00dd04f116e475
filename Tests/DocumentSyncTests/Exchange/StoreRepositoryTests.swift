import Automerge
import DocumentStore
import DocumentSync
import Foundation
import Replication
import TestSupport
import Testing

@Suite struct StoreRepositoryTests {
    @Test(.timeLimit(.minutes(30)))
    func changesAreAcknowledgedOnlyOnceStored() async throws {
        let folder = try TemporaryFolder()
        let (path, away) = (folder.appending("notes"), folder.appending("away"))
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        let store = try AutomergeStore(
            creatingStorageFolder: path, configuration: configuration)
        let workspace = try store.newWorkspace()
        try workspace.index.automerge.put(obj: .ROOT, key: "a", value: .String("1"))
        try store.save()
        let id = DocumentID(workspace.id)
        let server = DocumentExchange(
            of: StoreRepository(store), policy: .onRequest, limits: Node.patient)
        let client = Node("client", .only([id]))
        await client.exchange.request([id])
        let (near, far) = MemoryConnection.pair()
        let (events, failures) = (client.exchange.events(), server.events())
        let serving = Task { try? await server.run(far, as: .server) }
        let running = running(client, near, as: .client)
        _ = await first(events) { $0.isInSync(id) }
        try FileManager.default.moveItem(atPath: path, toPath: away)
        let later = client.exchange.events()
        try client.put(id, "b", "2")
        // A change that arrives in the meantime isn't lost either.
        _ = await first(failures) { $0.isNotSaved(id) }
        try client.put(id, "c", "3")
        _ = await first(server.events()) { $0.isNotSaved(id) }
        #expect(await client.exchange.status.first?.documents[id]?.standing == .different)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        // No further message is sent.
        _ = await first(later) { $0.isInSync(id) }
        try expectStored(workspace.id, at: path, heads: client.heads(id))
        near.cut()
        _ = await (running.value, serving.value)
        try store.close()
    }

    /// Expects a document with these heads in a storage folder, which another store has open.
    private func expectStored(_ id: UUID, at path: String, heads: Set<ChangeHash>) throws {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        let stored = try AutomergeStore(
            storageFolder: path, isWritable: false, configuration: configuration)
        let document = try #require(try stored.openDocument(id))
        #expect(document.automerge.heads() == heads)
    }

    /// A document that arrives from a peer while its folder is missing.
    @Test(.timeLimit(.minutes(30)))
    func newDocumentIsStoredOnceItsFolderReturns() async throws {
        let folder = try TemporaryFolder()
        let (path, away) = (folder.appending("notes"), folder.appending("away"))
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        let store = try AutomergeStore(
            creatingStorageFolder: path, configuration: configuration)
        try FileManager.default.moveItem(atPath: path, toPath: away)
        let server = DocumentExchange(
            of: StoreRepository(store), policy: .onRequest, limits: Node.patient)
        let client = Node("client", .mine)
        let id = try client.make("a", "1")
        let (near, far) = MemoryConnection.pair()
        let (events, failures) = (client.exchange.events(), server.events())
        let serving = Task { try? await server.run(far, as: .server) }
        let running = running(client, near, as: .client)
        _ = await first(failures) { $0.isNotSaved(id) }
        #expect(await client.exchange.status.first?.documents[id]?.standing == .different)
        try FileManager.default.moveItem(atPath: away, toPath: path)
        _ = await first(events) { $0.isInSync(id) }
        try expectStored(try #require(id.uuid), at: path, heads: client.heads(id))
        near.cut()
        _ = await (running.value, serving.value)
        try store.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func unstorableDocumentDoesNotEndTheConnection() async throws {
        let folder = try TemporaryFolder()
        let store = try AutomergeStore(creatingStorageFolder: folder.appending("notes"))
        let server = DocumentExchange(
            of: StoreRepository(store), policy: .onRequest, limits: Node.patient)
        let client = Node("client", .mine)
        // An identifier that isn't 16 bytes long: "custom-id" with its checksum.
        let odd = try client.make("a", "1", #require(DocumentID("9HUp4wuzRMx9MRvN4x")))
        let (near, far) = MemoryConnection.pair()
        let failures = server.events()
        let serving = Task { try? await server.run(far, as: .server) }
        let running = running(client, near, as: .client)
        _ = await first(failures) { kind in
            if case .failed(odd, _) = kind { true } else { false }
        }
        let events = client.exchange.events()
        let id = try client.make("a", "2")
        _ = await first(events) { $0.isInSync(id) }
        near.cut()
        _ = await (running.value, serving.value)
        try store.close()
    }

    @Test func deletedDocumentIsMissingEvenIfItWasInUse() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        _ = try StorePackage(creating: path)
        let store = try AutomergeStore(package: path, device: DeviceID("desk"))
        let id = try store.newWorkspace(named: "Plans").id
        let repository = StoreRepository(store)
        #expect(try await repository.document(DocumentID(id)) != nil)
        try store.deleteWorkspace(id)
        #expect(try await repository.document(DocumentID(id)) == nil)
        try store.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func deletedDocumentIsUnavailableToPeersThatHaveIt() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        _ = try StorePackage(creating: path)
        let store = try AutomergeStore(package: path, device: DeviceID("desk"))
        let workspace = try store.newWorkspace(named: "Plans").id
        try store.deleteWorkspace(workspace)
        let server = DocumentExchange(
            of: StoreRepository(store), policy: .onRequest, limits: Node.patient)
        let client = Node("client", .mine)
        let id = try client.make("a", "1", DocumentID(workspace))
        let (near, far) = MemoryConnection.pair()
        let (events, failures) = (client.exchange.events(), server.events())
        let serving = Task { try? await server.run(far, as: .server) }
        let running = running(client, near, as: .client)
        let failure = await first(failures) { kind in
            if case .failed(id, _) = kind { true } else { kind.isNotSaved(id) }
        }
        #expect(failure?.isNotSaved(id) == false)
        _ = await first(events) { $0.isUnavailable(id) }
        #expect(store.workspaces.isEmpty)
        near.cut()
        _ = await (running.value, serving.value)
        try store.close()
    }

    /// The number of transactions. All rows of one transaction have the same timestamp.
    private func transactionCount(of store: AutomergeStore) -> Int {
        Set(store.documentSummaries().flatMap { store.chunks(of: $0.id) }.map(\.timestamp)).count
    }

    @Test(.timeLimit(.minutes(30)))
    func documentsThatArriveTogetherShareTransactions() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        _ = try StorePackage(creating: path)
        let store = try AutomergeStore(package: path, device: DeviceID("desk"))
        let repository = StoreRepository(store)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let document = Document()
                    try document.put(obj: .ROOT, key: "number", value: .Int(Int64(number)))
                    let id = DocumentID()
                    try await repository.add(document, as: id)
                    // The document is stored by the time the call returns.
                    let stored = try AutomergeStore(package: path)
                    let uuid = try #require(id.uuid)
                    let kept = try #require(try stored.openDocument(uuid))
                    #expect(kept.automerge.heads() == document.heads())
                }
            }
            try await group.waitForAll()
        }
        #expect(store.documentSummaries().count == 100)
        #expect(transactionCount(of: store) <= 50)
        try store.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func firstSyncOfManyDocumentsDoesNotWriteAtTheSource() async throws {
        let folder = try TemporaryFolder()
        let paths = ["One.store", "Two.store"].map { folder.appending($0) }
        for path in paths { _ = try StorePackage(creating: path) }
        let source = try AutomergeStore(package: paths[0], device: DeviceID("laptop"))
        let target = try AutomergeStore(package: paths[1], device: DeviceID("desk"))
        var ids: Set<DocumentID> = []
        for number in 0..<150 {
            let document = Document()
            try document.put(obj: .ROOT, key: "number", value: .Int(Int64(number)))
            ids.insert(DocumentID(try source.newWorkspace(index: document).id))
        }
        let file = paths[0] + "/Devices/laptop/Documents.db"
        let before = try Data(contentsOf: URL(filePath: file))
        let exchanges = [source, target].map {
            DocumentExchange(
                of: StoreRepository($0), policy: .everything, limits: Node.patient)
        }
        let (near, far) = MemoryConnection.pair()
        let events = exchanges[0].events()
        let tasks = [
            Task { try? await exchanges[0].run(near, as: .client) },
            Task { try? await exchanges[1].run(far, as: .server) },
        ]
        var left = ids
        for await event in events {
            if case .inSync(let id, _) = event.kind { left.remove(id) }
            if left.isEmpty { break }
        }
        // Every document that the source reports as in sync is stored at the target.
        let stored = try AutomergeStore(package: paths[1])
        #expect(Set(stored.documentSummaries().map { DocumentID($0.id) }) == ids)
        for document in source.documentSummaries() {
            #expect(
                try stored.openDocument(document.id)?.automerge.heads()
                    == source.openDocument(document.id)?.automerge.heads())
        }
        // The number of documents per transaction depends on the speed of both sides.
        #expect(transactionCount(of: target) <= 150)
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
        near.cut()
        for task in tasks { await task.value }
        try source.close()
        try target.close()
    }

    @Test(.timeLimit(.minutes(30)))
    func packageAndStorageFolderStayInSync() async throws {
        let folder = try TemporaryFolder()
        let (one, two) = (folder.appending("One.store"), folder.appending("two"))
        _ = try StorePackage(creating: one)
        let package = try AutomergeStore(package: one, device: DeviceID("laptop"))
        let storage = try AutomergeStore(creatingStorageFolder: two)
        let workspace = try package.newWorkspace(named: "Plans")
        try workspace.index.automerge.put(obj: .ROOT, key: "title", value: .String("Plans"))
        try package.save()
        let id = DocumentID(workspace.id)
        let (client, server) = (
            DocumentExchange(
                of: StoreRepository(package), policy: .everything, limits: Node.patient),
            DocumentExchange(
                of: StoreRepository(storage), policy: .everything, limits: Node.patient)
        )
        let (near, far) = MemoryConnection.pair()
        let events = client.events()
        let serving = Task { try? await server.run(far, as: .server) }
        let running = Task { try? await client.run(near, as: .client) }
        _ = await first(events) { $0.isInSync(id) }
        // An edit in one store is stored by the other.
        let later = client.events()
        let copy = try #require(try storage.openDocument(workspace.id))
        try copy.automerge.put(obj: .ROOT, key: "title", value: .String("changed"))
        try copy.save()
        _ = await first(later) { $0.isReceived(id) }
        running.cancel()
        _ = await (running.value, serving.value)
        try package.close()
        try storage.close()
        let again = try AutomergeStore(package: one)
        let document = try #require(try again.openDocument(workspace.id))
        #expect(
            try document.automerge.get(obj: .ROOT, key: "title") == .Scalar(.String("changed")))
    }
}
