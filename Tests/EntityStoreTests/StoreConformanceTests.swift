import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// The behavior that all writable backings share.
@Suite struct StoreConformanceTests {
    @Test(arguments: BackingKind.allCases)
    func newStoreIsEmpty(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        #expect(try await store.entities().isEmpty)
        #expect(await store.typeCounts().isEmpty)
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func everyKindRoundTrips(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let others = try await store.make("book", "moby")
        var properties = everyKind
        properties["a relationship"] = Property(.relationship(others[0]), type: "wrote")
        let made = try await store.add([(.new("person"), properties)])
        let read = try #require(try await store.properties(of: made)[0])
        #expect(read.keys == properties.keys)
        for element in properties {
            #expect(read[element.key]?.value == element.property.value)
            #expect(read[element.key]?.type == element.property.type)
        }
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func nanRoundTrips(_ kind: BackingKind) async throws {
        let (store, folder) = try await kind.makeStore()
        let made = try await store.add([
            (.new("t"), ["n": .double(.nan), "i": .double(-.infinity)])
        ])
        #expect(try await store.value("n", of: made[0])?.double?.isNaN == true)
        #expect(try await store.value("i", of: made[0]) == .double(-.infinity))
        if kind == .package {
            let again = try await EntityStore.open(package: folder.appending("Notes.store"))
            #expect(try await again.value("n", of: made[0])?.double?.isNaN == true)
            #expect(try await again.value("i", of: made[0]) == .double(-.infinity))
        }
    }

    @Test(arguments: BackingKind.allCases)
    func referencesFindByIdentifierNameAndKey(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.add([
            (.new("person", identifier: "p1"), ["name": "Anna", "age": 21]),
            (.new("person", identifier: "Anna"), ["name": "Ben"]),
        ])
        let found = try await store.resolve([
            .identifier("p1"), .named("Anna"), .where("age", equals: 21),
            .identifierOrName("Anna"), .identifierOrName("Ben"), .identifier("nobody"),
            .named("nobody"), .null,
        ])
        #expect(
            found == [made[0], made[0], made[0], made[1], made[1], nil, nil, nil])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func missingEntitiesAreCreatedFromTheirReference(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let found = try await store.resolve([
            .identifier("p1").orCreate("person", properties: ["age": 3]),
            .named("Ben").orCreate("person", identifier: "p2"),
            .named("Ben").orCreate("person"),
            .identifierOrName("Cleo").orCreate("person"),
        ])
        #expect(found.map { $0?.identifier } == ["p1", "p2", "p2", "Cleo"])
        #expect(try await store.value("age", of: .identifier("p1")) == 3)
        #expect(try await store.value("name", of: .identifier("p2")) == "Ben")
        #expect(try await store.value("name", of: .identifier("Cleo")) == "Cleo")
        #expect(await store.typeCounts() == ["person": 3])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func existingEntityIgnoresInitialValues(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        _ = try await store.make("person", "p1")
        _ = try await store.resolve([
            .identifier("p1").orCreate("robot", properties: ["name": "other"])
        ])
        #expect(try await store.value("name", of: .identifier("p1")) == "p1")
        #expect(await store.typeCounts() == ["person": 1])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func newestEntryIsCurrentAndOthersAreHistory(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "p1")
        for age in 1...3 {
            try await store.add([(made[0], ["age": .integer(Int64(age))])])
        }
        #expect(try await store.value("age", of: made[0]) == 3)
        let values = try await store.values(of: "age", in: made)[0].map(\.value)
        #expect(values == [3, 2, 1])
        let entries = try await store.entries(of: made, keys: ["age"])[0]
        #expect(entries.map(\.isCurrent) == [true, false, false])
        #expect(entries.map(\.id.row) == [5, 4, 3])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func setLeavesOneValueAndKeepsTheHistory(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "p1")
        try await store.add([(made[0], ["age": 1])])
        try await store.add([(made[0], ["age": 2])])
        try await store.set([(made[0], ["age": 3])])
        #expect(try await store.values(of: "age", in: made)[0].map(\.value) == [3])
        let entries = try await store.entries(of: made, keys: ["age"])[0]
        #expect(entries.map(\.isRemoved) == [false, true, true])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func oneOfManyValuesCanBeRemoved(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "p1")
        for mail in ["a", "b", "c"] {
            try await store.add([(made[0], ["mail": .string(mail)])])
        }
        let entries = try await store.entries(of: made, keys: ["mail"])[0]
        let removal = try await store.remove([entries[0].id], key: "mail", of: made[0])
        #expect(try await store.value("mail", of: made[0]) == "b")
        #expect(try await store.values(of: "mail", in: made)[0].map(\.value) == ["b", "a"])
        try await store.restore(removal)
        #expect(try await store.values(of: "mail", in: made)[0].map(\.value) == ["c", "b", "a"])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func removingOneOfTwoPropertiesLeavesTheOther(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.add([(.new("t"), ["a": 1, "b": 2])])
        try await store.remove(["a", "nothing"], of: made)
        #expect(try await store.properties(of: made)[0]?.keys == ["b"])
        try await store.add([(made[0], ["a": 4])])
        #expect(try await store.values(of: "a", in: made)[0].map(\.value) == [4])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func deletingRemovesRelationshipsToTheEntity(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna", "ben", "cleo")
        try await store.relate([(made[0], made[1]), (made[2], made[1])], key: "knows")
        try await store.relate([(made[1], made[0])], key: "knows", type: "well")
        let removal = try await store.delete([made[1], .identifier("nobody"), made[1]])
        #expect(removal.entityCount == 1)
        #expect(try await store.identifiers() == ["anna", "cleo"])
        #expect(try await store.relations(from: [made[0], made[2]]) == [[], []])
        #expect(try await store.relations(to: [made[0], made[1]]) == [[], []])
        #expect(try await store.value("knows", of: made[0]) == nil)
        try await store.restore(removal)
        #expect(try await store.relations(to: [made[1]])[0].count == 2)
        #expect(try await store.relations(from: [made[1]])[0].map(\.type) == ["well"])
        #expect(try await store.value("name", of: made[1]) == "ben")
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func recreatedEntityStartsEmpty(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna")
        try await store.delete(made)
        #expect(try await store.resolve(made) == [nil])
        _ = try await store.resolve([.identifier("anna").orCreate("robot")])
        let record = try #require(try await store.records(of: made)[0])
        #expect(record.type == "robot")
        #expect(record.properties.isEmpty)
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func resetDeletesEverything(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        _ = try await store.make("person", "anna", "ben")
        #expect(try await store.reset().entityCount == 2)
        #expect(try await store.count() == 0)
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func relationshipsCanBeCyclicAndManyToMany(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna", "ben")
        try await store.relate(
            [(made[0], made[1]), (made[1], made[0]), (made[0], made[0])], key: "knows")
        let outgoing = try await store.relations(from: [made[0]])[0]
        #expect(Set(outgoing.map(\.target)) == [made[0], made[1]])
        let incoming = try await store.relations(to: [made[0]])[0]
        #expect(Set(incoming.map(\.source)) == [made[0], made[1]])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func relationshipToAMissingEntityIsRefusedWithoutWriting(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna")
        let message = await expectError(.noSuchEntity) {
            try await store.add([
                (.new("person", identifier: "other"), ["a": 1]),
                (made[0], ["knows": .relationship(.named("Zoe"))]),
            ])
        }
        #expect(message.contains("knows"))
        #expect(try await store.identifiers() == ["anna"])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func relationshipCanCreateItsTarget(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("book", "moby")
        let author = EntityReference.named("Melville").orCreate("person", identifier: "m")
        try await store.add([(made[0], ["author": .relationship(author)])])
        #expect(
            try await store.value("author", of: made[0]) == .relationship(.identifier("m")))
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func referenceKeyContainsTheIdentifier(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna")
        let book = EntityReference.identifier("test-book").orCreate("book")
        try await store.add([(made[0], [.reference("author", book): "first"])])
        #expect(try await store.value("author-test-book", of: made[0]) == "first")
        #expect(await store.typeCounts() == ["book": 1, "person": 1])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func fixedPropertiesAreReturnedOnRequestAndNeverWritten(_ kind: BackingKind) async throws {
        let clock = TestClock()
        let (store, _folder) = try await kind.makeStore(clock: clock)
        let made = try await store.make("person", "anna")
        let start = clock.now
        clock.advance(microseconds: 5_000_000)
        try await store.add([(made[0], ["age": 3])])
        let keys = ["identifier", "type", "datestamp", "modified", "age"]
        let read = try #require(try await store.properties(keys, of: made)[0])
        #expect(read[value: "identifier"] == "anna")
        #expect(read[value: "type"] == "person")
        #expect(read[value: "datestamp"] == .date(start))
        #expect(read[value: "modified"] == .date(clock.now))
        #expect(try await store.properties(of: made)[0]?.keys == ["age", "name"])
        for key in ["identifier", "type", "datestamp", "modified", ""] {
            _ = await expectError(.invalidName) {
                try await store.add([(made[0], [PropertyKey(key): 1])])
            }
        }
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func newValueWinsOverOneFromTheFuture(_ kind: BackingKind) async throws {
        let clock = TestClock()
        let (store, _folder) = try await kind.makeStore(clock: clock)
        let made = try await store.make("person", "anna")
        var future = PropertyDictionary()
        let ahead = Timestamp(microseconds: clock.now.microseconds + 1_000_000_000)
        future["age"] = Property(1, datestamp: ahead)
        try await store.add([(made[0], future)])
        try await store.add([(made[0], ["age": 2])])
        #expect(try await store.value("age", of: made[0]) == 2)
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func unstorableValuesAreRefused(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna")
        for value in [
            EntityValue.array([.relationship(made[0])]), ["a": [.relationship(made[0])]],
        ] {
            _ = await expectError(.invalidValue) {
                try await store.add([(made[0], ["x": value, "y": 1])])
            }
        }
        #expect(try await store.properties(of: made)[0]?.keys == ["name"])
        // A failed write must not affect the next one.
        try await store.add([(made[0], ["y": 2])])
        #expect(try await store.value("y", of: made[0]) == 2)
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func eventListsAddedChangedAndDeletedEntities(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna", "ben")
        var events = store.events().makeAsyncIterator()
        try await store.add([
            (made[0], ["age": 1, "size": 2]), (.new("book", identifier: "b"), ["title": "x"]),
        ])
        var expected = EntityChanges(origin: .local, rowCount: 4)
        expected.added = [.identifier("b")]
        expected.changed = [made[0]]
        expected.keys = ["age", "size"]
        let first = await nextChange(&events)
        expected.written = first?.written
        #expect(first == expected)
        #expect(first?.written != nil)
        try await store.remove(["age"], of: [made[0]])
        let removal = await nextChange(&events)
        #expect(removal?.keys == ["age"] && removal?.removedKeys == ["age"])
        try await store.delete([made[1]])
        #expect(await nextChange(&events)?.deleted == [made[1]])
        await store.close()
        #expect(await nextChange(&events) == nil)
        _ = _folder
    }

    private func nextChange(
        _ events: inout AsyncStream<EntityStore.Event>.Iterator
    ) async -> EntityChanges? {
        while let event = await events.next() {
            if case .changed(let changes) = event.kind { return changes }
        }
        return nil
    }

    @Test(arguments: BackingKind.allCases)
    func registeredTypesRepresentTheirEntities(_ kind: BackingKind) async throws {
        struct Book: EntityReferencing {
            static let entityType = "book"
            let reference: EntityReference
        }
        let (store, _folder) = try await kind.makeStore()
        let books = try await store.make("book", "moby")
        let made = try await books + store.make("person", "anna")
        await store.register(Book.self)
        let typed = try await store.typed(made)
        #expect(typed[0] is Book)
        #expect(typed[1] == nil)
        #expect(try await store.entities(as: Book.self).map(\.reference) == [made[0]])
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func oneOfSeveralValuesIsRemoved(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let people = try await store.make("person", "anna", "ben")
        let book = try await store.make("book", "moby")[0]
        try await store.relate(people.map { (book, $0) }, key: "author")
        for number: EntityValue in [1, 2, 2.0, "2"] { try await store.add([(book, ["n": number])]) }
        func values(_ key: String) async throws -> [EntityValue] {
            try await store.entries(of: [book])[0].filter { $0.key == key && !$0.isRemoved }
                .map(\.property.value)
        }
        let removal = try await store.remove(
            values: [.relationship(people[1])], key: "author", of: book)
        #expect(!removal.isEmpty)
        #expect(try await values("author") == [.relationship(people[0])])
        #expect(try await store.relations(to: [people[1]])[0].isEmpty)
        try await store.restore(removal)
        #expect(try await store.relations(from: [book])[0].count == 2)
        // Equal numbers are one value; text that looks like it is another.
        let edit = EntityEdit.removeValues([2], key: "n", of: book)
        let undo = try await store.perform(edit).undo
        #expect(try await values("n") == ["2", 1])
        _ = await expectError(.noSuchValue) { _ = try await store.perform(edit) }
        _ = try await store.perform(.revert(undo))
        #expect(try await values("n").count == 4)
        #expect(try await store.remove(values: [9], key: "n", of: book).isEmpty)
        #expect(try await store.remove(values: [9], key: "m", of: book).isEmpty)
        _ = await expectError(.noSuchEntity) {
            _ = try await store.remove(values: [1], key: "n", of: .identifier("nobody"))
        }
        _ = _folder
    }

    @Test(arguments: BackingKind.allCases)
    func closedStoreCanBeReadButNotWritten(_ kind: BackingKind) async throws {
        let (store, _folder) = try await kind.makeStore()
        let made = try await store.make("person", "anna")
        await store.close()
        #expect(try await store.count() == 1)
        _ = await expectError(.closed) { try await store.delete(made) }
        _ = _folder
    }
}
