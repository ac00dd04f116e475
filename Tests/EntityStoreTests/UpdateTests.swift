import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct UpdateTests {
    /// The number of rows in this device's log.
    private func rowCount(_ store: EntityStore) async -> Int {
        await store.devices.first?.rows ?? 0
    }

    /// The number of rows that `body` writes.
    private func rows(
        _ store: EntityStore, _ body: () async throws -> Void
    ) async throws -> Int {
        let before = await rowCount(store)
        try await body()
        return await rowCount(store) - before
    }

    @Test(arguments: BackingKind.allCases)
    private func equalValuesAreNotWritten(_ kind: BackingKind) async throws {
        let (store, folder) = try await kind.makeStore()
        defer { withExtendedLifetime(folder) {} }
        var properties = everyKind
        properties["nan"] = Property(.double(.nan))
        properties["nested nan"] = Property([.double(.nan), ["x": .double(-0.0)]])
        properties["tagged"] = Property("x", type: "label")
        let made = try await store.add([
            (.new("t", identifier: "x"), properties), (.new("t", identifier: "y"), [:]),
        ])
        properties["friend"] = Property(.relationship(made[1]))
        let all = properties
        // The rows also record that no value was there, which makes the value a set one.
        #expect(try await rows(store) { try await store.update([(made[0], all)]) } == 2)
        #expect(try await rows(store) { try await store.update([(made[0], all)]) } == 0)
        properties[value: "an integer"] = 7
        let changed = properties
        // The old value is removed, and the new one is written.
        #expect(try await rows(store) { try await store.update([(made[0], changed)]) } == 2)
        #expect(try await store.value("an integer", of: made[0]) == 7)
        #expect(try await store.properties(of: made)[0]?.keys == changed.keys)
        await store.close()
    }

    @Test func minusZeroAndOtherSpellingsDiffer() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.add([
            (.new("t"), ["zero": 0.0, "letter": "e\u{301}", "whole": 1])
        ])
        try await store.update([(made[0], ["zero": -0.0, "letter": "\u{e9}", "whole": 1.0])])
        #expect(try await store.value("zero", of: made[0])?.double?.sign == .minus)
        #expect(
            try await store.value("letter", of: made[0])?.string?.utf8.count == 2)
        #expect(try await store.value("whole", of: made[0])?.kind == .double)
    }

    @Test func differentTypeOrDatestampIsADifference() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t"), ["mail": "x"])])
        var properties = PropertyDictionary()
        properties["mail"] = Property("x", type: "email")
        let tagged = properties
        #expect(try await rows(store) { try await store.update([(made[0], tagged)]) } == 2)
        #expect(try await rows(store) { try await store.update([(made[0], tagged)]) } == 0)
        let date = Timestamp(microseconds: 5)
        properties["mail"] = Property("x", type: "email", datestamp: date)
        let dated = properties
        #expect(try await rows(store) { try await store.update([(made[0], dated)]) } == 2)
        #expect(try await rows(store) { try await store.update([(made[0], dated)]) } == 0)
        #expect(try await rows(store) { try await store.update([(made[0], tagged)]) } == 0)
        #expect(try await store.properties(of: made)[0]?["mail"]?.datestamp == date)
    }

    @Test func updateRemovesFurtherValuesAndKeepsTheEqualOne() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t"), ["tag": "a"])])
        try await store.add([(made[0], ["tag": "b"])])
        let entry = try await store.entries(of: made)[0].first { $0.isCurrent }?.id
        #expect(
            try await rows(store) {
                try await store.update([(made[0], ["tag": "b"])], keepingOthers: true)
            } == 0)
        #expect(try await store.values(of: "tag", in: made)[0].count == 2)
        #expect(try await rows(store) { try await store.update([(made[0], ["tag": "b"])]) } == 1)
        #expect(try await store.values(of: "tag", in: made)[0].map(\.value) == ["b"])
        #expect(try await store.entries(of: made)[0].first { $0.isCurrent }?.id == entry)
        #expect(
            try await rows(store) {
                try await store.update([(made[0], ["tag": "c"])], keepingOthers: true)
            } == 1)
        #expect(try await store.values(of: "tag", in: made)[0].map(\.value) == ["c", "b"])
    }

    @Test func lastOfSeveralValuesInAnUpdateWins() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t", identifier: "x"), ["n": 1])])
        #expect(
            try await rows(store) {
                try await store.update([
                    (made[0], ["n": 2, "m": 1]), (.identifier("x"), ["n": 1]),
                ])
            } == 2)
        #expect(try await store.value("n", of: made[0]) == 1)
        #expect(try await store.value("m", of: made[0]) == 1)
    }

    @Test func createdEntityGetsEachPropertyOnce() async throws {
        let store = try EntityStore.inMemory()
        let anna = EntityReference.named("Anna", type: "person")
            .orCreate("person", properties: ["age": 1, "city": "Kyoto"])
        // Rows for the creation, name, age and city; the second age replaces the first.
        #expect(
            try await rows(store) {
                try await store.update([
                    (anna, ["name": "Anna", "age": 2, "boss": .relationship(anna)])
                ])
            } == 5)
        let record = try #require(try await store.records(EntityQuery(type: "person")).first)
        #expect(record.properties[value: "age"] == 2)
        #expect(try await store.values(of: "age", in: [record.reference])[0].count == 1)
        #expect(record.properties[value: "boss"] == .relationship(record.reference))
        #expect(
            try await rows(store) {
                try await store.update([
                    (anna, ["name": "Anna", "age": 2, "boss": .relationship(.named("Anna"))])
                ])
            } == 0)
    }

    @Test(arguments: BackingKind.allCases)
    private func lastValueSetInTheCreatingCallWins(
        _ kind: BackingKind
    ) async throws {
        let (store, folder) = try await kind.makeStore()
        defer { withExtendedLifetime(folder) {} }
        let anna = EntityReference.named("Anna", type: "person")
            .orCreate("person", properties: ["age": 1, "city": "Kyoto"])
        let written = try await rows(store) {
            try await store.set([(anna, ["age": 2, "n": 1]), (anna, ["n": 2]), (anna, ["n": 3])])
        }
        let record = try #require(try await store.records(EntityQuery(type: "person")).first)
        #expect(record.properties[value: "age"] == 2)
        #expect(record.properties[value: "n"] == 3)
        #expect(record.properties[value: "city"] == "Kyoto")
        for key in ["age", "n"] {
            #expect(try await store.values(of: key, in: [record.reference])[0].count == 1)
        }
        // One row for the creation, and one each for name, age, city and n.
        #expect(written == 5)
        await store.close()
    }

    @Test func addInTheCreatingCallAddsAValue() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t", properties: ["tag": "a"]), ["tag": "b"])])
        #expect(try await store.values(of: "tag", in: made)[0].map(\.value) == ["b", "a"])
    }

    @Test func equalValueUnderAReferenceKeyIsNotWrittenAgain() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.make("t", "x", "y")
        var properties = PropertyDictionary()
        properties[.reference("with", .named("y"))] = Property("1")
        let wanted = properties
        #expect(try await rows(store) { try await store.update([(made[0], wanted)]) } == 2)
        #expect(try await rows(store) { try await store.update([(made[0], wanted)]) } == 0)
        #expect(try await store.value("with-y", of: made[0]) == "1")
    }

    @Test func unwritablePropertiesAreRefusedEvenIfEqual() async throws {
        let store = try EntityStore.inMemory()
        let made = try await store.make("t", "x")
        _ = await expectError(.invalidName) {
            try await store.update([(made[0], ["name": "x", "type": "t"])])
        }
        _ = await expectError(.noSuchEntity) {
            try await store.update([(.identifier("none"), ["name": "x"])])
        }
        _ = await expectError(.noSuchEntity) {
            try await store.update([(made[0], ["to": .relationship(.named("none"))])])
        }
        #expect(await rowCount(store) == 2)
    }

    @Test func saveKeepsOtherDevicesMembers() async throws {
        struct Person: Codable, Equatable {
            var name: String
            var age: Int
        }
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let anna = try await EntityStore.open(package, device: DeviceID("anna"))
        let made = try await anna.save([(.new("person"), Person(name: "Ben", age: 1))])
        // Ben has a copy of the folder, and no service syncs the two.
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
        let ben = try await EntityStore.open(package: copy, device: DeviceID("ben"))
        try await ben.save([(made[0], Person(name: "Benjamin", age: 1))])
        await ben.close()
        try await anna.save([(made[0], Person(name: "Ben", age: 2))])
        try FileManager.default.copyItem(
            atPath: "\(copy)/Devices/ben", toPath: "\(package.path)/Devices/ben")
        try await anna.sync()
        #expect(
            try await anna.values(as: Person.self, of: made) == [Person(name: "Benjamin", age: 2)])
        await anna.close()
    }
}
