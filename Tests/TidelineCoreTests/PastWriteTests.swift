import Automerge
import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Descriptions of time-travel steps for entities and documents.
@Suite struct PastWriteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the descriptions of all steps from the first write to the last.
    private func walk(_ session: any StoreSession) async throws -> [[PastWrite]] {
        var reported: [[PastWrite]] = []
        var instant = Timestamp.distantPast
        while let next = try await session.step(from: instant, backwards: false, device: nil) {
            reported.append(try await session.writes(at: next, device: nil))
            instant = next
        }
        return reported
    }

    @Test func stepDescribesEntityWrites() async throws {
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let ben = try DeviceID("ben")
        let store = try await EntityStore.open(package, device: ben)
        try await store.add([(.new("person", identifier: "anna"), ["name": "Anna"])])
        try await store.add([(.identifier("anna"), ["age": 21])])
        try await store.add([(.identifier("anna"), ["age": 22])])
        await store.close()
        let opened = try await PaneSession(package.path)
        // Entities can be loaded after the keys.
        try await opened.session.reload()
        let reported = try await walk(opened.session)
        #expect(
            reported.map { $0.map(\.text) } == [
                ["created Anna (person)", "set Anna › name: Anna"], ["set Anna › age: 21"],
                ["set Anna › age: 21 → 22"],
            ])
        let last = try #require(reported.last?.first)
        #expect(last.author == .device(ben))
        #expect(last.link == Detail.Link(pane: .entities, row: RowID("anna")))
        let other = try DeviceID("phone")
        let end = try #require(
            try await opened.session.step(from: .distantFuture, backwards: true, device: nil))
        #expect(try await opened.session.writes(at: end, device: other).isEmpty)
        await opened.session.close()
    }

    @Test func stepDescribesADocumentChange() async throws {
        let document = try DocumentSamples.document(1)
        try document.put(obj: .ROOT, key: "title", value: .String("Trip"))
        document.commitWith(message: "first")
        try document.put(obj: .ROOT, key: "title", value: .String("Journey"))
        let path = try DocumentSamples.write(document, to: folder)
        let session = try StoreOpener(device: nil).open(path)
        try await session.reload()
        let reported = try await walk(session)
        #expect(reported.count == 2)
        let first = try #require(reported.first?.first)
        #expect(first.text.contains("Trip") && first.text.hasSuffix("(first)"))
        #expect(first.link == Detail.Link(pane: .documents, row: RowID("/title")))
        #expect(reported.last?.first?.text.contains("Journey") == true)
        await session.close()
    }

    @Test func stepUsesTheNameOfThatTime() async throws {
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = try await EntityStore.open(package, device: try DeviceID("ben"))
        try await store.add([(.new("person", identifier: "anna"), ["name": "Anna"])])
        try await store.add([(.identifier("anna"), ["age": 21])])
        try await store.set([(.identifier("anna"), ["name": "Anne"])])
        try await store.delete([.identifier("anna")])
        await store.close()
        let opened = try await PaneSession(package.path)
        try await opened.session.reload()
        let reported = try await walk(opened.session)
        #expect(
            reported.map { $0.map(\.text) } == [
                ["created Anna (person)", "set Anna › name: Anna"], ["set Anna › age: 21"],
                ["set Anne › name: Anna → Anne"], ["deleted Anne"],
            ])
        await opened.session.close()
    }

    @Test func writeToADisplayedDocumentIsOneStep() async throws {
        let sample = try DocumentPackage()
        try sample.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("Rome")) }
        let opened = try await sample.session()
        _ = try await opened.tree(sample.plans)
        let changes = try await opened.rows(.documentHistory).count
        let ofPlans = try await walk(opened.session).filter { writes in
            writes.contains { $0.link?.row.name.hasPrefix(sample.plans.uuidString) == true }
        }
        #expect(ofPlans.count == changes)
        #expect(!ofPlans.joined().contains { $0.text.contains("chunk") })
        // Documents that are not displayed are described only by their chunks.
        let others = try await walk(opened.session).joined()
        #expect(others.contains { $0.text.contains("chunk") })
        await opened.close()
    }

    @Test func stepsOfOneDeviceFollowADisplayedDocument() async throws {
        let sample = try DocumentPackage()
        let ben = try DeviceID("ben")
        try sample.write("ben") { try $0.put(obj: .ROOT, key: "title", value: .String("Rome")) }
        let opened = try await sample.session()
        _ = try await opened.tree(sample.plans)
        let instant = try #require(
            try await opened.session.step(from: .distantPast, backwards: false, device: ben))
        let writes = try await opened.session.writes(at: instant, device: ben)
        #expect(writes.map(\.author) == [.device(ben)])
        #expect(writes.first?.text.contains("Rome") == true)
        #expect(
            try await opened.session.step(from: instant, backwards: false, device: ben) == nil)
        await opened.close()
    }
}
