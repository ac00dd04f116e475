import Automerge
import DocumentStore
import DocumentSync
import Foundation
import Testing

/// A program of plans that two people edit at the same time.
@Suite struct SharedPlansTests {
    @Test func plansReachAnotherProgram() async throws {
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace(named: "Plans")
        try workspace.index.automerge.put(obj: .ROOT, key: "title", value: .String("Tides"))
        try store.save()
        let mine = DocumentExchange(of: StoreRepository(store), policy: .everything)
        let repository = MemoryRepository()
        let other = DocumentExchange(of: repository, policy: .everything)
        let events = other.events()
        let (left, right) = MemoryConnection.pair()
        let serving = Task { try await mine.run(left, as: .server) }
        let syncing = Task { try await other.run(right, as: .client) }
        for await event in events {
            if case .created = event.kind { break }
        }
        let plan = try #require(repository[DocumentID(workspace.id)])
        #expect(try plan.get(obj: .ROOT, key: "title") == .Scalar(.String("Tides")))
        #expect(await mine.status.map(\.address) == ["memory"])
        syncing.cancel()
        serving.cancel()
        try store.close()
    }
}
