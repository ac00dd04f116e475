import Automerge
import DocumentSync
import Foundation
import Testing

@Suite struct DocumentExchangeTests {
    @Test func documentAndLaterEditsReachTheOtherSide() async throws {
        let (client, server) = (Node("client", .mine), Node("server", .onRequest))
        let id = try client.make("title", "from the client")
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(id) }
        #expect(try server.value(id, "title") == "from the client")
        let later = client.exchange.events()
        try server.put(id, "title", "from the server")
        _ = await first(later) { $0.isReceived(id) }
        #expect(try client.value(id, "title") == "from the server")
        line.cancel()
        await line.value
    }

    @Test func bothSidesReportADocumentThatIsAlreadyInSync() async throws {
        let (client, server) = (Node("client", .mine), Node("server", .onRequest))
        let id = try client.make("title", "the same")
        try await server.repository.add(
            Document(try #require(client.repository[id]).save()), as: id)
        let (events, others) = (client.exchange.events(), server.exchange.events())
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(id) }
        _ = await first(others) { $0.isInSync(id) }
        line.cancel()
        await line.value
    }

    @Test func requestedDocumentArrives() async throws {
        let (client, server) = (Node("client", .only([])), Node("server", .onRequest))
        let id = try server.make("title", "there")
        await client.exchange.request([id])
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(id) }
        #expect(try client.value(id, "title") == "there")
        line.cancel()
    }

    @Test func missingDocumentIsUnavailableUntilItArrives() async throws {
        let id = DocumentID()
        let client = Node("client", .only([id]))
        let (server, other) = (Node("server", .onRequest), Node("other", .mine))
        await client.exchange.request([id])
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isUnavailable(id) }
        #expect(client.repository.ids.isEmpty)
        #expect(server.repository.ids.isEmpty)
        let later = client.exchange.events()
        try other.make("title", "late", id)
        let second = connect(other, server)
        _ = await first(later) { $0.isInSync(id) }
        #expect(try client.value(id, "title") == "late")
        line.cancel()
        second.cancel()
    }

    @Test func serverOffersNothingUnrequested() async throws {
        let (client, server) = (Node("client", .everything), Node("server", .onRequest))
        let (secret, shared) = (try server.make("a", "secret"), try server.make("a", "shared"))
        await client.exchange.request([shared])
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(shared) }
        #expect(client.repository[secret] == nil)
        line.cancel()
    }

    @Test func readOnlyServerSendsButAcceptsNoChanges() async throws {
        let (client, server) = (Node("client", .mine), Node("server", .readOnly))
        let shared = try server.make("title", "the server's")
        let own = try client.make("title", "the client's")
        let copy = try Document(try #require(server.repository[shared]).save())
        try copy.put(obj: .ROOT, key: "title", value: .String("changed"))
        try await client.repository.add(copy, as: shared)
        try server.put(shared, "more", "later")
        let events = client.exchange.events()
        let refusals = server.exchange.events()
        let line = connect(client, server)
        var waited: Set<DocumentID> = [shared, own]
        _ = await first(events) { kind in
            if kind.isReceived(shared) { waited.remove(shared) }
            if kind.isUnavailable(own) { waited.remove(own) }
            return waited.isEmpty
        }
        #expect(try client.value(shared, "more") == "later")
        _ = await first(refusals) { kind in
            if case .refused(shared, _, _, _) = kind { true } else { false }
        }
        #expect(try server.value(shared, "title") == "the server's")
        #expect(server.repository[own] == nil)
        line.cancel()
    }

    @Test func unsharedDocumentIsReportedAsUnavailable() async throws {
        let server = Node(
            "server",
            SharePolicy(
                announces: { _, _ in false }, access: { _, _ in .none }, creates: { _, _ in true }))
        let client = Node("client", .everything)
        let id = try server.make("title", "secret")
        await client.exchange.request([id])
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isUnavailable(id) }
        #expect(client.repository[id] == nil)
        line.cancel()
    }

    @Test func serverForwardsChangesToOtherClients() async throws {
        let server = Node("server", .onRequest)
        let (one, two) = (Node("one", .mine), Node("two", .mine))
        let id = try one.make("a", "1")
        let arrived = server.exchange.events()
        let lines = [connect(one, server)]
        _ = await first(arrived) { $0.isReceived(id) }
        await two.exchange.request([id])
        let events = two.exchange.events()
        let second = connect(two, server)
        _ = await first(events) { $0.isInSync(id) }
        let later = two.exchange.events()
        try one.put(id, "a", "2")
        _ = await first(later) { $0.isReceived(id) }
        #expect(try two.value(id, "a") == "2")
        for line in lines + [second] { line.cancel() }
    }

    @Test func ephemeralMessagesReachPeersOfTheDocumentOnce() async throws {
        let server = Node("server", .onRequest)
        let nodes = [Node("one", .mine), Node("two", .mine), Node("stranger", .mine)]
        let id = try nodes[0].make("a", "1")
        let lines = nodes.map { connect($0, server) }
        let settled = server.exchange.events()
        await nodes[1].exchange.request([id])
        let other = try nodes[2].make("b", "2")
        var left: Set<String> = ["one", "two", "stranger"]
        for await event in settled {
            if case .inSync(_, let peer) = event.kind { left.remove(peer.text) }
            if left.isEmpty { break }
        }
        let (heard, notHeard) = (nodes[1].exchange.events(), nodes[2].exchange.events())
        await nodes[0].exchange.broadcast(.text("hello"), about: id)
        let event = await first(heard) { kind in
            if case .ephemeral = kind { true } else { false }
        }
        guard case .ephemeral(id, "one", let data)? = event else {
            Issue.record("another message came")
            return
        }
        #expect(try CBORValue(data) == .text("hello"))
        // The next event shows that no message arrived before it.
        try server.put(other, "b", "3")
        let next = await first(notHeard) { kind in
            switch kind {
            case .ephemeral, .received: true
            default: false
            }
        }
        #expect(next?.isReceived(other) == true)
        for line in lines { line.cancel() }
    }

    @Test func returningPeerContinuesFromTheSharedState() async throws {
        let (client, server) = (
            Node("client", .mine, storageID: "c"), Node("server", .onRequest, storageID: "s")
        )
        let id = try client.make("a", "1")
        let events = client.exchange.events()
        let line = connect(client, server)
        _ = await first(events) { $0.isInSync(id) }
        line.cancel()
        await line.value
        try client.put(id, "a", "2")
        try server.put(id, "b", "3")
        let later = client.exchange.events()
        let again = connect(client, server)
        _ = await first(later) { $0.isInSync(id) }
        #expect(try client.value(id, "b") == "3")
        #expect(try server.value(id, "a") == "2")
        again.cancel()
    }

    @Test func newerConnectionOfAPeerReplacesTheOlderOne() async throws {
        let server = Node("server", .onRequest)
        let (old, new) = (Node("same", .mine), Node("same", .mine))
        let id = try new.make("a", "1")
        let joined = server.exchange.events()
        let first = connect(old, server)
        _ = await DocumentSyncTests.first(joined) { kind in
            if case .connected = kind { true } else { false }
        }
        let events = new.exchange.events()
        let second = connect(new, server)
        // The older connection ends by itself.
        await first.value
        _ = await DocumentSyncTests.first(events) { $0.isInSync(id) }
        #expect(await server.exchange.status.count == 1)
        second.cancel()
    }
}
