import EntityStore
import Replication
import Synchronization

/// The demo's shelf: people, books and places with relationships, written on three devices over
/// three weeks.
struct DemoEntities: Sendable {
    private let end: Int64
    private let now: SharedNumber

    /// Creates the shelf.
    ///
    /// - Parameter end: The time of the last write.
    init(end: Timestamp) {
        self.end = end.microseconds
        now = SharedNumber(end.microseconds)
    }

    private struct Book {
        let id: String
        let title: String
        let author: String
        let place: String
        let pages: Int64
        let year: String
    }

    private static let books = [
        Book(
            id: "book-moby-dick", title: "Moby-Dick", author: "melville", place: "nantucket",
            pages: 635, year: "1851-10-18"),
        Book(
            id: "book-lisbon", title: "The Book of Disquiet", author: "pessoa", place: "lisbon",
            pages: 544, year: "1982-01-01"),
        Book(
            id: "book-kyoto", title: "The Old Capital", author: "kawabata", place: "kyoto",
            pages: 164, year: "1962-01-01"),
        Book(
            id: "book-snow", title: "雪国 (Snow Country)", author: "kawabata", place: "yuzawa",
            pages: 175, year: "1937-01-01"),
        Book(
            id: "book-dubliners", title: "Dubliners", author: "joyce", place: "dublin",
            pages: 152, year: "1914-06-15"),
        Book(
            id: "book-mrs-dalloway", title: "Mrs Dalloway", author: "woolf", place: "london",
            pages: 194, year: "1925-05-14"),
        Book(
            id: "book-lighthouse", title: "To the Lighthouse", author: "woolf", place: "skye",
            pages: 209, year: "1927-05-05"),
        Book(
            id: "book-pippi", title: "Pippi Långstrump", author: "lindgren", place: "vimmerby",
            pages: 174, year: "1945-11-26"),
    ]

    private static let people: [(id: String, name: String, place: String)] = [
        ("anna", "Anna Lindqvist", "lisbon"), ("ben", "Ben Okafor", "lisbon"),
        ("melville", "Herman Melville", "new-york"), ("pessoa", "Fernando Pessoa", "lisbon"),
        ("kawabata", "川端 康成 (Kawabata Yasunari)", "kamakura"),
        ("joyce", "James Joyce", "zürich"), ("woolf", "Virginia Woolf", "london"),
        ("lindgren", "Astrid Lindgren", "stockholm"),
    ]

    private static let places: [(id: String, name: String, latitude: Double, longitude: Double)] = [
        ("lisbon", "Lisbon", 38.7223, -9.1393), ("nantucket", "Nantucket", 41.2835, -70.0995),
        ("new-york", "New York", 40.7128, -74.0060), ("kyoto", "京都 (Kyōto)", 35.0116, 135.7681),
        ("kamakura", "Kamakura", 35.3192, 139.5467), ("yuzawa", "Yuzawa", 36.9383, 138.8097),
        ("dublin", "Dublin", 53.3498, -6.2603), ("zürich", "Zürich", 47.3769, 8.5417),
        ("london", "London", 51.5072, -0.1276), ("skye", "Isle of Skye", 57.2736, -6.2155),
        ("vimmerby", "Vimmerby", 57.6655, 15.8553), ("stockholm", "Stockholm", 59.3293, 18.0686),
    ]

    /// Writes the shelf into a package.
    ///
    /// - Throws: `ReplicationError` if it can't be written.
    func build(in path: String) async throws {
        let package = try StorePackage(opening: path)
        let clock = HybridClock { [now] in
            Timestamp(microseconds: now.value.load(ordering: .relaxed))
        }
        // The devices exchange writes only at the times that the demo chooses.
        var configuration = EntityStore.Configuration(clock: clock)
        configuration.watchesFolder = false
        var stores: [EntityStore] = []
        for device in DemoStore.cast {
            stores.append(
                try await EntityStore.open(
                    package, device: DeviceID(device.id), configuration: configuration))
        }
        let (anna, ben, kitchen) = (stores[0], stores[1], stores[2])
        set(daysBefore: 20)
        try await moveIn(anna)
        for store in stores { try await store.sync() }
        try await lend(anna, ben)
        for store in stores { try await store.sync() }
        try await read(ben, kitchen)
        for store in stores { try await store.sync() }
        try await tidy(anna, ben)
        for store in stores { await store.close() }
    }

    private func set(daysBefore days: Double) {
        now.value.store(end - Int64(days * 86_400_000_000), ordering: .relaxed)
    }

    private func moveIn(_ store: EntityStore) async throws {
        try await store.add(
            Self.places.map { place in
                (
                    .new("place", identifier: place.id),
                    [
                        "name": .string(place.name), "latitude": .double(place.latitude),
                        "longitude": .double(place.longitude),
                    ]
                )
            })
        set(daysBefore: 19)
        try await store.add(
            Self.people.map { person in
                (
                    .new("person", identifier: person.id),
                    [
                        "name": .string(person.name),
                        "home": .relationship(.identifier(person.place)),
                    ]
                )
            })
        set(daysBefore: 18)
        try await store.add(
            Self.books.map { book in
                var properties: PropertyDictionary = [
                    "title": .string(book.title), "pages": .integer(book.pages),
                    "published": .date(
                        (try? Timestamp(parsing: book.year)) ?? .distantPast), "read": false,
                ]
                properties["author"] = Property(
                    .relationship(.identifier(book.author)), type: "wrote")
                properties["setting"] = Property(
                    .relationship(.identifier(book.place)), type: "takes place in")
                return (.new("book", identifier: book.id), properties)
            })
    }

    private func lend(_ anna: EntityStore, _ ben: EntityStore) async throws {
        set(daysBefore: 12)
        try await anna.relate(
            [(.identifier("anna"), .identifier("ben")), (.identifier("ben"), .identifier("anna"))],
            key: "knows", type: "lives with")
        try await anna.relate(
            [(.identifier("anna"), .identifier("lindgren"))], key: "admires")
        set(daysBefore: 11)
        try await ben.relate(
            [(.identifier("ben"), .identifier("joyce"))], key: "admires")
        for mail in ["ben@example.org", "ben.okafor@example.com"] {
            var properties = PropertyDictionary()
            properties["mail"] = Property(.string(mail), type: "email")
            try await ben.add([(.identifier("ben"), properties)])
        }
        set(daysBefore: 9)
        try await ben.relate(
            [(.identifier("book-dubliners"), .identifier("ben"))], key: "lent to")
    }

    private func read(_ ben: EntityStore, _ kitchen: EntityStore) async throws {
        for (day, (book, stars)) in zip(
            stride(from: 7.0, to: 1, by: -1.5),
            [("book-pippi", 5), ("book-kyoto", 4), ("book-moby-dick", 3)])
        {
            set(daysBefore: day)
            let entity = EntityReference.identifier(book)
            try await kitchen.set([(entity, ["read": true, "stars": .integer(Int64(stars))])])
        }
        set(daysBefore: 2)
        // Ben hadn't seen the number of stars that the tablet set.
        try await ben.set([(.identifier("book-moby-dick"), ["stars": 5])])
        try await ben.set([
            (
                .identifier("book-snow"),
                ["tags": ["winter", "train"], "shelf": ["room": "hall", "board": 2]]
            )
        ])
    }

    private func tidy(_ anna: EntityStore, _ ben: EntityStore) async throws {
        set(daysBefore: 1)
        // An entity that is deleted later, and relationships to it.
        let lost = try await anna.add([
            (.new("book", identifier: "book-lost"), ["title": "A book left on a train"])
        ])
        try await anna.relate([(.identifier("anna"), lost[0])], key: "wants")
        set(daysBefore: 0.5)
        try await anna.delete(lost)
        // Both devices set the same property concurrently.
        set(daysBefore: 0.01)
        try await anna.add([(.identifier("book-lisbon"), ["note": "Start with section 12"])])
        try await ben.add([(.identifier("book-lisbon"), ["note": "Ask Anna which edition"])])
    }
}

/// A number that is shared by reference.
final class SharedNumber: Sendable {
    let value: Atomic<Int64>
    init(_ value: Int64) { self.value = Atomic(value) }
}
