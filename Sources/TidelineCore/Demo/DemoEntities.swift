import EntityStore
import Replication

/// The demo's shelf: people, books and places with relationships, written on three devices over
/// three weeks.
struct DemoEntities: Sendable {
    private let clock: DemoClock

    /// Creates the shelf.
    ///
    /// - Parameter end: The time of the last write.
    init(end: Timestamp) { clock = DemoClock(end: end) }

    private typealias Book = (
        id: String, title: String, author: String, place: String, pages: Int64, published: String
    )

    private static let books: [Book] = [
        ("book-moby-dick", "Moby-Dick", "melville", "nantucket", 635, "1851-10-18"),
        ("book-lisbon", "The Book of Disquiet", "pessoa", "lisbon", 544, "1982-01-01"),
        ("book-kyoto", "The Old Capital", "kawabata", "kyoto", 164, "1962-01-01"),
        ("book-snow", "雪国 (Snow Country)", "kawabata", "yuzawa", 175, "1937-01-01"),
        ("book-dubliners", "Dubliners", "joyce", "dublin", 152, "1914-06-15"),
        ("book-mrs-dalloway", "Mrs Dalloway", "woolf", "london", 194, "1925-05-14"),
        ("book-lighthouse", "To the Lighthouse", "woolf", "skye", 209, "1927-05-05"),
        ("book-pippi", "Pippi Långstrump", "lindgren", "vimmerby", 174, "1945-11-26"),
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
    /// - Throws: `ReplicationError` if the shelf can't be written.
    func build(in path: String) async throws {
        let package = try StorePackage(opening: path)
        // The devices exchange writes only at the times that the demo chooses.
        var configuration = EntityStore.Configuration(clock: clock.hybrid())
        configuration.watchesFolder = false
        var stores: [EntityStore] = []
        for device in DemoStore.cast {
            stores.append(
                try await EntityStore.open(
                    package, device: DeviceID(device.id), configuration: configuration))
        }
        let (anna, ben, kitchen) = (stores[0], stores[1], stores[2])
        clock.set(daysBeforeEnd: 20)
        try await moveIn(anna)
        for store in stores { try await store.sync() }
        try await lend(anna, ben)
        for store in stores { try await store.sync() }
        try await read(ben, kitchen)
        for store in stores { try await store.sync() }
        try await tidy(anna, ben)
        for store in stores { await store.close() }
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
        clock.set(daysBeforeEnd: 19)
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
        clock.set(daysBeforeEnd: 18)
        try await store.add(
            Self.books.map { book in
                var properties: PropertyDictionary = [
                    "title": .string(book.title), "pages": .integer(book.pages),
                    "published": .date(
                        (try? Timestamp(parsing: book.published)) ?? .distantPast), "read": false,
                ]
                properties["author"] = Property(
                    .relationship(.identifier(book.author)), type: "wrote")
                properties["setting"] = Property(
                    .relationship(.identifier(book.place)), type: "takes place in")
                return (.new("book", identifier: book.id), properties)
            })
    }

    private func lend(_ anna: EntityStore, _ ben: EntityStore) async throws {
        clock.set(daysBeforeEnd: 12)
        try await anna.relate(
            [(.identifier("anna"), .identifier("ben")), (.identifier("ben"), .identifier("anna"))],
            key: "knows", type: "lives with")
        try await anna.relate(
            [(.identifier("anna"), .identifier("lindgren"))], key: "admires")
        clock.set(daysBeforeEnd: 11)
        try await ben.relate(
            [(.identifier("ben"), .identifier("joyce"))], key: "admires")
        for mail in ["ben@example.org", "ben.okafor@example.com"] {
            var properties = PropertyDictionary()
            properties["mail"] = Property(.string(mail), type: "email")
            try await ben.add([(.identifier("ben"), properties)])
        }
        clock.set(daysBeforeEnd: 9)
        try await ben.relate(
            [(.identifier("book-dubliners"), .identifier("ben"))], key: "lent to")
    }

    private func read(_ ben: EntityStore, _ kitchen: EntityStore) async throws {
        for (day, (book, stars)) in zip(
            stride(from: 7.0, to: 1, by: -1.5),
            [("book-pippi", 5), ("book-kyoto", 4), ("book-moby-dick", 3)])
        {
            clock.set(daysBeforeEnd: day)
            let entity = EntityReference.identifier(book)
            try await kitchen.set([(entity, ["read": true, "stars": .integer(Int64(stars))])])
        }
        clock.set(daysBeforeEnd: 2)
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
        clock.set(daysBeforeEnd: 1)
        // An entity that is deleted later, and relationships to it.
        let lost = try await anna.add([
            (.new("book", identifier: "book-lost"), ["title": "A book left on a train"])
        ])
        try await anna.relate([(.identifier("anna"), lost[0])], key: "wants")
        clock.set(daysBeforeEnd: 0.5)
        try await anna.delete(lost)
        // Both devices set the same property concurrently.
        clock.set(daysBeforeEnd: 0.01)
        try await anna.add([(.identifier("book-lisbon"), ["note": "Start with section 12"])])
        try await ben.add([(.identifier("book-lisbon"), ["note": "Ask Anna which edition"])])
    }
}
