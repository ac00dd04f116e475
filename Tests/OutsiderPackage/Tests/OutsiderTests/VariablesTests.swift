import EntityStore
import Foundation
import KeyValueStore
import Replication
import Testing

/// A program that stores the values of variables.
@Suite struct VariablesTests {
    let title = "Groceries"
    let count = 3
    let size = 1.5
    let isDone = true
    let due = Date(timeIntervalSince1970: 0)
    let photo = Data([1, 2])
    let link = URL(filePath: "/tides/today")
    let id = UUID()
    let tags = ["shop", "today"]
    let words = ["swift": 3]

    @Test func keysTakeVariablesOfEveryKind() throws {
        let store = KeyValueStore()
        try store.set(title, forKey: "title")
        try store.set(count, forKey: "count")
        try store.set(size, forKey: "size")
        try store.set(isDone, forKey: "isDone")
        try store.set(due, forKey: "due")
        try store.set(photo, forKey: "photo")
        try store.set(link, forKey: "link")
        try store.set(id, forKey: "id")
        try store.set(tags, forKey: "tags")
        try store.set(words, forKey: "words")
        try store.set(Float(size), forKey: "float")
        try store.set(UInt32(7), forKey: "number")
        try store.set([PropertyList(title), PropertyList(count)], forKey: "mixed")

        #expect(try store.string(forKey: "title") == title)
        #expect(try store.integer(forKey: "count") == count)
        #expect(try store.double(forKey: "size") == size)
        #expect(try store.bool(forKey: "isDone") == isDone)
        #expect(try store.date(forKey: "due") == due)
        #expect(try store.data(forKey: "photo") == photo)
        #expect(try store.url(forKey: "link") == link)
        #expect(try store.uuid(forKey: "id") == id)
        #expect(try store.stringArray(forKey: "tags") == tags)
        #expect(try store.value(forKey: "words", as: [String: Int].self) == words)
        #expect(try store.double(forKey: "float") == size)
        #expect(store["number"] == 7 && store["mixed"] == ["Groceries", 3])
    }

    @Test func manyKeysAreSetFromADictionary() throws {
        let store = KeyValueStore()
        let ages = ["anna": 41, "ben": 35]
        let missing: String? = nil
        try store.set(contentsOf: ages)
        try store.set(contentsOf: ["title": title, "due": due, "count": count])
        try store.set(contentsOf: ["ben": nil, "theme": "dark"])
        try store.set(contentsOf: ["count": missing])
        let values: [String: PropertyList] = store.dictionary()
        #expect(values.keys.sorted() == ["anna", "due", "theme", "title"])
        #expect(values["anna"]?.integer == 41 && values["due"]?.date == due)
    }

    @Test func propertiesTakeVariablesOfEveryKind() async throws {
        let store = try EntityStore.inMemory()
        let ben = try await store.add([(.new("person", identifier: "ben"), [:])])[0]
        let anna = try await store.add([
            (
                .new("person", identifier: "anna"),
                [
                    "title": EntityValue(title), "count": EntityValue(count),
                    "size": EntityValue(size), "isDone": EntityValue(isDone), "due": .date(due),
                    "photo": EntityValue(photo), "link": EntityValue(link), "id": EntityValue(id),
                    "tags": EntityValue(tags), "words": EntityValue(words),
                    "friend": EntityValue(ben),
                ]
            )
        ])[0]
        let person = try #require(try await store.records(byEntity: [anna])[anna])
        #expect(person[value: "title"] == "Groceries" && person[value: "count"]?.integer == 3)
        #expect(person[value: "size"]?.double == size && person[value: "isDone"] == true)
        #expect(person[value: "due"]?.date?.date == due && person[value: "photo"]?.data == photo)
        #expect(person[value: "link"]?.string == link.absoluteString)
        #expect(person[value: "id"]?.string == id.uuidString)
        #expect(person[value: "tags"] == ["shop", "today"])
        #expect(person[value: "words"] == ["swift": 3])
        #expect(person["friend"]?.value.relationship == ben)
        await store.close()
    }

    @Test func propertiesAreMadeFromADictionary() async throws {
        let store = try EntityStore.inMemory()
        let values: [String: EntityValue] = ["title": EntityValue(title), "count": 3]
        let cities = ["home": "Basel", "work": "Kyoto"]
        try await store.addProperties([
            .new("person", identifier: "anna"): PropertyDictionary(values),
            .new("person", identifier: "ben"): PropertyDictionary(cities),
            .new("person", identifier: "carl"): PropertyDictionary(["title": title, "due": due]),
        ])
        let people = ["anna", "ben", "carl"].map { EntityReference.identifier($0) }
        let properties = try await store.properties(byEntity: people)
        #expect(properties[people[0]]?.keys == ["count", "title"])
        #expect(properties[people[1]]?[value: "work"] == "Kyoto")
        #expect(properties[people[2]]?[value: "due"]?.date?.date == due)
        await store.close()
    }
}
