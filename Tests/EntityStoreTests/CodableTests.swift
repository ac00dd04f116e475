import Foundation
import Replication
import Testing

@testable import EntityStore

@Suite struct CodableTests {
    private struct Address: Codable, Equatable {
        var street: String
        var number: UInt16
    }

    private enum Mood: String, Codable { case good, bad }

    private struct Person: Codable, Equatable {
        var name: String
        var age: Int
        var size: Float
        var isAlive: Bool
        var born: Date
        var photo: Data
        var homepage: URL
        var mood: Mood
        var nickname: String?
        var address: Address
        var others: [Address]
        var matrix: [[Double]]
        var friend: EntityReference
        var token: UUID
    }

    private var person: Person {
        get throws {
            Person(
                name: "Anna", age: -3, size: 1.5, isAlive: true,
                born: Date(timeIntervalSinceReferenceDate: 12.25), photo: Data([1, 2]),
                homepage: try #require(URL(string: "https://example.org/a?b")), mood: .bad,
                nickname: nil, address: Address(street: "A", number: 65_535),
                others: [Address(street: "B", number: 0)], matrix: [[1, 2.5], []],
                friend: .identifier("ben"), token: UUID())
        }
    }

    @Test func structRoundTrips() async throws {
        let store = try EntityStore.inMemory()
        _ = try await store.make("person", "ben")
        let person = try person
        let saved = try await store.save([(.new("person"), person)])
        #expect(try await store.values(as: Person.self, of: saved) == [person])
        let kinds = try #require(try await store.properties(of: saved)[0])
            .map { "\($0.key) \($0.property.value.kind)" }
        #expect(
            kinds == [
                "address dictionary", "age integer", "born date", "friend relationship",
                "homepage string", "isAlive boolean", "matrix array", "mood string",
                "name string", "others array", "photo data", "size double", "token string",
            ])
    }

    @Test func savingAgainReplacesMembersAndKeepsTheRest() async throws {
        struct Part: Codable, Equatable {
            var name: String
            var age: Int?
        }
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t"), ["name": "a", "age": 1, "other": true])])
        try await store.save([(made[0], Part(name: "b", age: nil))])
        #expect(
            try await store.values(as: Part.self, EntityQuery(type: "t"))
                == [Part(name: "b", age: 1)])
        #expect(try await store.values(of: "name", in: made)[0].map(\.value) == ["b"])
        #expect(try await store.value("other", of: made[0]) == true)
    }

    @Test func fixedPropertiesAreReadAndNotWritten() async throws {
        struct Row: Codable {
            var identifier: String
            var type: String
            var modified: Date
            var n: Double
        }
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t", identifier: "x"), ["n": 1])])
        var row = try #require(try await store.values(as: Row.self, of: made)[0])
        #expect(row.identifier == "x")
        #expect(row.type == "t")
        #expect(row.n == 1)
        row.identifier = "y"
        row.n = 2
        try await store.save([(made[0], row)])
        #expect(try await store.properties(of: made)[0]?.keys == ["n"])
    }

    @Test func datesOfAnyYearRoundTripAndInvalidDatesAreRefused() async throws {
        struct Span: Codable, Equatable {
            var start = Date.distantPast
            var end = Date.distantFuture
        }
        let store = try EntityStore.inMemory()
        let saved = try await store.save([(.new("span"), Span())])
        #expect(try await store.values(as: Span.self, of: saved) == [Span()])
        for seconds in [Double.nan, .infinity, -1e300] {
            let message = await expectError(.notCodable) {
                let end = Date(timeIntervalSinceReferenceDate: seconds)
                try await store.save([(saved[0], Span(end: end))])
            }
            #expect(message.hasPrefix("end: "))
        }
    }

    @Test func identifiersMembersAndNilRoundTrip() async throws {
        struct Order: Codable, Equatable {
            var id: UUID
            var price: Decimal
            var counts: [Name: Int]
            var parts: [String: [Int: Bool]]
            var note: String??
        }
        let order = Order(
            id: UUID(), price: Decimal(1) / 3, counts: ["e\u{301}": 1, "\u{e9}": 2],
            parts: ["a": [-1: true]], note: .some("x"))
        let store = try EntityStore.inMemory()
        let saved = try await store.save([(.new("order"), order)])
        #expect(try await store.values(as: Order.self, of: saved) == [order])
    }

    @Test func mismatchedMemberIsNamed() async throws {
        struct Wrong: Codable { var n: Int }
        let store = try EntityStore.inMemory()
        let made = try await store.add([(.new("t"), ["n": "text"])])
        await #expect(throws: DecodingError.self) {
            _ = try await store.values(as: Wrong.self, of: made)
        }
        struct Large: Codable { var n: UInt64 }
        let message = await expectError(.notCodable) {
            try await store.save([(made[0], Large(n: .max))])
        }
        #expect(message.contains("n:"))
        _ = await expectError(.notCodable) { try await store.save([(made[0], "bare")]) }
        _ = await expectError(.notCodable) {
            try await store.save([(made[0], ["a": [1, nil]])])
        }
    }
}
