import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

/// Entities, properties and types whose names are canonically equal but have different bytes.
@Suite struct NamesAsBytesTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    private static func filled() async throws -> (TemporaryFolder, EntityStore) {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = try await EntityStore.open(package, device: DeviceID("a"))
        for (number, name) in [composed, decomposed].enumerated() {
            try await store.add([
                (
                    .new(name, identifier: name),
                    [
                        PropertyKey(composed): .integer(Int64(number)),
                        PropertyKey(decomposed): .integer(Int64(10 + number)),
                    ]
                )
            ])
        }
        return (folder, store)
    }

    @Test func bothSpellingsOfANameAreDistinct() async throws {
        let (folder, store) = try await Self.filled()
        #expect(
            await store.typeCounts() == [Name(Self.composed): 1, Name(Self.decomposed): 1])
        #expect(await store.keyCounts()[Self.composed]?.count == 2)
        let records = try await store.records(
            of: [.identifier(Self.composed), .identifier(Self.decomposed)])
        let values = records.map { record in
            [Self.composed, Self.decomposed].map { record?.properties[value: $0] }
        }
        #expect(values == [[.integer(0), .integer(10)], [.integer(1), .integer(11)]])
        #expect(Set(records.compactMap { $0?.reference }).count == 2)
        #expect(try await store.count(EntityQuery(type: Self.composed)) == 1)
        await store.close()
        withExtendedLifetime(folder) {}
    }

    @Test func bothSpellingsInOneCallAreTwoEntities() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = try await EntityStore.open(package, device: DeviceID("a"))
        let references = [Self.composed, Self.decomposed].map {
            EntityReference.identifier($0).orCreate("x")
        }
        try await store.add(references.map { ($0, ["n": 1]) })
        #expect(try await store.count(.all) == 2)
        try await store.delete([.identifier(Self.composed)])
        #expect(try await store.records(of: references).map { $0 == nil } == [true, false])
        await store.close()
        withExtendedLifetime(folder) {}
    }

    @Test func interchangeRoundTrips() async throws {
        let (folder, store) = try await Self.filled()
        let text = try await store.export()
        let second = try TemporaryFolder()
        let package = try StorePackage(creating: second.appending("Other.store"))
        let other = try await EntityStore.open(package, device: DeviceID("b"))
        try await other.importInterchange(text)
        #expect(try await other.count(.all) == 2)
        #expect(try await other.export() == text)
        await store.close()
        withExtendedLifetime(folder) {}
        await other.close()
    }

    @Test func canonicallyEqualValuesAreDifferent() async throws {
        #expect(EntityValue.string(Self.composed) != .string(Self.decomposed))
        #expect(
            EntityValue.dictionary([Name(Self.composed): 1])
                != .dictionary([Name(Self.decomposed): 1]))
        let (folder, store) = try await Self.filled()
        let reference = EntityReference.identifier(Self.composed)
        for name in [Self.composed, Self.decomposed] {
            try await store.add([(reference, ["title": .string(name)])])
            let record = try await store.records(of: [reference])[0]
            #expect(record?.properties[value: "title"] == .string(name))
        }
        await store.close()
        withExtendedLifetime(folder) {}
    }
}
