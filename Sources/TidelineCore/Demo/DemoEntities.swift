import EntityStore
import Foundation
import Replication

/// The people, books and places of the demo: what points to what, by two devices.
struct DemoEntities {
    private struct Person {
        let id: String
        let name: String
        let born: Int64
        let home: String
        let friends: [String]
    }

    private struct Book {
        let title: String
        let author: String
        let pages: Int64
        let setIn: [String]
    }

    private static let places: [(id: String, name: String, latitude: Double, longitude: Double)] = [
        ("lisbon", "Lisbon", 38.72, -9.14), ("kyoto", "京都", 35.01, 135.77),
        ("göteborg", "Göteborg", 57.71, 11.97), ("lagos", "Lagos", 6.45, 3.39),
    ]

    private static let people = [
        Person(id: "anna", name: "Anna Lindqvist", born: 1985, home: "göteborg", friends: ["ben"]),
        Person(id: "ben", name: "Ben Okafor", born: 1983, home: "lagos", friends: ["anna", "mio"]),
        Person(id: "mio", name: "Mio 美緒 Tanaka", born: 1990, home: "kyoto", friends: ["ben"]),
        Person(
            id: "rui", name: "Rui Tavares", born: 1971, home: "lisbon", friends: ["anna", "mio"]),
    ]

    private static let books = [
        Book(title: "The Tide Tables", author: "rui", pages: 312, setIn: ["lisbon"]),
        Book(title: "Two Lamps", author: "anna", pages: 188, setIn: ["göteborg", "kyoto"]),
        Book(title: "一期一会", author: "mio", pages: 96, setIn: ["kyoto"]),
        Book(title: "Market Day", author: "ben", pages: 240, setIn: ["lagos", "lisbon"]),
        Book(title: "Market Day, Revised", author: "ben", pages: 251, setIn: ["lagos"]),
    ]

    let package: StorePackage
    let end: Timestamp

    /// The first device enters everything, two weeks ago; the second corrects and adds, last week.
    func write() async throws {
        let first = try await open(0, daysAgo: 14)
        try await enterPlacesAndPeople(first)
        try await enterBooks(first)
        await first.close()
        let second = try await open(1, daysAgo: 6)
        try await revise(second)
        await second.close()
    }

    private func open(_ number: Int, daysAgo: Int64) async throws -> EntityStore {
        let now = Timestamp(microseconds: end.microseconds - daysAgo * 86_400_000_000)
        return try await EntityStore.open(
            package, device: try DeviceID(DemoStore.deviceName(number).id),
            clock: HybridClock { now })
    }

    private func enterPlacesAndPeople(_ store: EntityStore) async throws {
        _ = try await store.add(
            Self.places.map { place in
                (
                    .new("place", identifier: place.id),
                    [
                        "name": .string(place.name),
                        "latitude": .double(place.latitude),
                        "longitude": .double(place.longitude),
                    ]
                )
            })
        _ = try await store.add(
            Self.people.map { person in
                (
                    .new("person", identifier: person.id),
                    [
                        "name": .string(person.name),
                        "born": .integer(person.born),
                        "reads": .boolean(true),
                    ]
                )
            })
        _ = try await store.relate(
            Self.people.map { (.identifier($0.id), .identifier($0.home)) }, key: "home",
            type: "lives in")
        for person in Self.people {
            _ = try await store.relate(
                person.friends.map { (.identifier(person.id), .identifier($0)) }, key: "friend",
                type: "friend")
        }
    }

    private func enterBooks(_ store: EntityStore) async throws {
        for (number, book) in Self.books.enumerated() {
            let reference = EntityReference.identifier("book-\(number + 1)")
            _ = try await store.add([
                (
                    .new("book", identifier: "book-\(number + 1)"),
                    [
                        "title": .string(book.title),
                        "pages": .integer(book.pages),
                        "tags": .array([.string("novel"), .string("shelf \(number % 2 + 1)")]),
                    ]
                )
            ])
            _ = try await store.relate(
                [(reference, .identifier(book.author))], key: "author", type: "written by")
            _ = try await store.relate(
                book.setIn.map { (reference, .identifier($0)) }, key: "place", type: "set in")
        }
    }

    private func revise(_ store: EntityStore) async throws {
        _ = try await store.set([
            (.identifier("book-1"), ["pages": .integer(318)]),
            (.identifier("mio"), ["name": .string("Mio Tanaka (田中 美緒)")]),
            (.identifier("lisbon"), ["visited": .boolean(true)]),
        ])
        _ = try await store.delete([.identifier("book-5")])
    }
}
