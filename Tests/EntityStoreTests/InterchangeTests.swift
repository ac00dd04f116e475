import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct InterchangeTests {
    private func store(_ json: String) async throws -> EntityStore {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        try await store.importInterchange(Data(json.utf8))
        return store
    }

    /// A store with every kind of value, relationships in both directions, several entries, tags
    /// and old dates.
    private func full() async throws -> EntityStore {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        var properties = everyKind
        properties["nan"] = Property(.double(-.infinity))
        properties["modified"] = nil
        let made = try await store.add([
            (.new("person", identifier: "p\"1"), properties),
            (.new("book", identifier: "b1"), ["title": "x"]),
        ])
        try await store.relate([(made[0], made[1])], key: "wrote", type: "author")
        try await store.relate([(made[1], made[0])], key: "by")
        var old = PropertyDictionary()
        old["title"] = Property(
            "older", type: "label", datestamp: Timestamp(microseconds: 1_234_567))
        try await store.add([(made[1], old)])
        return store
    }

    /// All content except the authors and the times of the rows.
    private func content(_ store: EntityStore) async throws -> [[String]] {
        var content: [[String]] = []
        for record in try await store.records() {
            var lines = ["\(record.identifier) \(record.type) \(record.datestamp.iso8601)"]
            for entry in try await store.entries(of: [record.reference])[0]
            where !entry.isRemoved {
                let date = entry.property.datestamp?.iso8601 ?? ""
                lines.append(
                    "\(entry.key) \(entry.property.value.kind) \(entry.property.value.text) "
                        + "\(entry.property.type) \(date) \(entry.isCurrent)")
            }
            content.append(lines)
        }
        return content
    }

    @Test func normalizedFormIsLossless() async throws {
        let first = try await full()
        let text = try await first.export(.normalized)
        let second = try EntityStore.inMemory()
        let summary = try await second.importInterchange(text)
        #expect(summary.madeCount == 2)
        #expect(try await content(second) == content(first))
        #expect(try await second.export(.normalized) == text)
    }

    @Test func importingTwiceChangesNothing() async throws {
        for form in [InterchangeForm.normalized, .compact] {
            let first = try await full()
            let text = try await first.export(form)
            let summary = try await first.importInterchange(text)
            #expect(summary.madeCount == 0)
            #expect(summary.entryCount == 0)
            #expect(summary.knownCount > 10)
        }
    }

    @Test func compactFormKeepsValuesKindsAndTypes() async throws {
        let first = try await full()
        let second = try EntityStore.inMemory()
        try await second.importInterchange(first.export(.compact))
        let (a, b) = (try await first.records(), try await second.records())
        #expect(a.map(\.identifier) == b.map(\.identifier))
        #expect(a.map(\.datestamp) == b.map(\.datestamp))
        for (a, b) in zip(a, b) {
            #expect(a.properties.map(\.property.value) == b.properties.map(\.property.value))
            #expect(a.properties.map(\.property.type) == b.properties.map(\.property.type))
        }
    }

    @Test func compactFormUsesBareValues() async throws {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        try await store.add([
            (
                .new("t", identifier: "x"),
                ["a": "s", "b": 1, "c": .double(1), "d": true, "e": [1, "x"], "f": [["y": 1]]]
            )
        ])
        let text = String(decoding: try await store.export(.compact), as: UTF8.self)
        #expect(
            text == """
                {"entities":[
                {"type":"t","identifier":"x","datestamp":"2026-05-09T06:13:20Z","a":"s","b":1,\
                "c":1.0,"d":true,"e":[1,"x"],"f":{"array":[{"y":1}]}}
                ]}

                """)
    }

    @Test func emptyStoreExportsAnEmptyList() async throws {
        let store = try EntityStore.inMemory()
        let text = try await store.export()
        #expect(String(decoding: text, as: UTF8.self) == "{\"entities\":[]}\n")
        #expect(try await store.importInterchange(text) == InterchangeSummary())
    }

    @Test func originalFilesAreRead() async throws {
        // Trailing commas, a datestamp as an object, tags, bare and full values.
        let store = try await store(
            """
            {"entities": [
              {"type": "book", "identifier": "b", "datestamp": {"date": "2019-12-06T10:00:27Z"},
               "title": {"string": "Test", "type": "label", "datestamp": "2019-12-06T11:00:00Z"},
               "pages": 21, "author": {"entity": "later", "type": "author",},},
              {"identifier": "later", "type": "person", "datestamp": "2019-12-06T10:00:27+01:00",
               "alive": true, "cover": {"data": "AAE="}, "score": 1.5,},
            ],}
            """)
        let records = try await store.records()
        #expect(records.map(\.identifier) == ["later", "b"])
        #expect(records[1].datestamp.iso8601 == "2019-12-06T10:00:27.000000Z")
        #expect(records[1].properties["title"]?.type == "label")
        #expect(records[1].properties["title"]?.datestamp?.iso8601 == "2019-12-06T11:00:00.000000Z")
        #expect(records[1].properties[value: "pages"] == 21)
        #expect(
            records[1].properties[value: "author"] == .relationship(.identifier("later")))
        #expect(records[0].properties[value: "alive"] == true)
        #expect(records[0].properties[value: "cover"] == .data(Data([0, 1])))
        #expect(records[0].properties[value: "score"] == 1.5)
        let incoming = try await store.relations(to: [.identifier("later")])[0]
        #expect(incoming.map(\.type) == ["author"])
    }

    @Test func relationshipWaitsForItsTarget() async throws {
        let store = try await store(
            #"{"entities":[{"type":"t","identifier":"x","to":{"entity":"y"}}]}"#)
        let relation = try #require(
            try await store.relations(from: [.identifier("x")])[0].first)
        #expect(relation.isTargetMissing)
        #expect(try await store.relations(to: [.identifier("y")])[0].count == 1)
        #expect(try await store.identifiers() == ["x"])
        try await store.importInterchange(
            Data(#"{"entities":[{"type":"t","identifier":"y"}]}"#.utf8))
        #expect(try await store.relations(from: [.identifier("x")])[0][0].isTargetMissing == false)
    }

    @Test func existingEntityKeepsItsTypeAndNewerValues() async throws {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        try await store.add([(.new("person", identifier: "x"), ["name": "now"])])
        let summary = try await store.importInterchange(
            Data(
                """
                {"entities":[{"type":"robot","identifier":"x",
                "name":{"string":"then","datestamp":"2001-01-02T00:00:00Z"}}]}
                """.utf8))
        #expect(summary.changedCount == 1)
        #expect(summary.notes.count == 1)
        #expect(await store.typeCounts() == ["person": 1])
        #expect(
            try await store.values(of: "name", in: [.identifier("x")])[0].map(\.value)
                == ["now", "then"])
    }

    @Test func secondTypeOfAnEntityInOneFileIsReported() async throws {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        let summary = try await store.importInterchange(
            Data(
                """
                {"entities":[{"type":"person","identifier":"x"},
                {"type":"person","identifier":"x"},{"type":"robot","identifier":"x"}]}
                """.utf8))
        #expect(
            summary.notes == ["x keeps the type person; the imported type robot is ignored"])
        #expect(await store.typeCounts() == ["person": 1])
    }

    @Test func removedValuesStayRemovedAfterImportingAnOlderExport() async throws {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        try await store.add([(.new("book", identifier: "b"), ["read": false, "title": "A"])])
        let text = try await store.export(.normalized)
        try await store.set([(.identifier("b"), ["read": true])])
        let summary = try await store.importInterchange(text)
        #expect(summary.madeCount == 0 && summary.entryCount == 0 && summary.knownCount == 2)
        func read() async throws -> [EntityValue] {
            try await store.values(of: "read", in: [.identifier("b")])[0].map(\.value)
        }
        #expect(try await read() == [true])
        // A deleted entity is restored with all its properties.
        try await store.delete([.identifier("b")])
        #expect(try await store.importInterchange(text).madeCount == 1)
        #expect(try await read() == [false])
    }

    private struct Bad: Sendable, CustomTestStringConvertible {
        let text: String
        let says: String
        var testDescription: String { says }

        init(_ text: String, _ says: String) {
            self.text = text
            self.says = says
        }

        /// A file with one valid entity and one with this member.
        init(member: String, _ says: String) {
            self.init(
                """
                {"entities":[{"type":"t","identifier":"good","a":1},
                {"type":"t","identifier":"bad",\(member)}]}
                """, says)
        }
    }

    private static let bad = [
        Bad("", "line 1, column 1"), Bad("{", "ends inside an object"),
        Bad("{\"entities\":[\n{\"type\":\"t\",", "line 2, column 13"),
        Bad("[]", "an array, not an object"), Bad("{}", "\"entities\" is missing"),
        Bad("{\"entities\":{}}", "is an object, not an array"),
        Bad("{\"entities\":[1]}", "entities[0] is a number"),
        Bad("{\"entities\":[],\"more\":1}", "\"more\""),
        Bad("{\"entities\":[]} x", "unexpected content after the value"),
        Bad("{\"entities\":[{\"type\":\"t\"}]}", "entities[0] has no identifier"),
        Bad("{\"entities\":[{\"identifier\":\"x\"}]}", "entities[0] has no type"),
        Bad(member: "\"a\":null", "entities[1].a can't be stored: null"),
        Bad(member: "\"a\":1,\"a\":2", "entities[1].a occurs twice"),
        Bad(member: "\"a\":{}", "entities[1].a has no value"),
        Bad(member: "\"a\":{\"string\":1}", "entities[1].a.string is a number"),
        Bad(member: "\"a\":{\"integer\":1.5}", "entities[1].a.integer is a number"),
        Bad(member: "\"a\":{\"boolean\":1}", "entities[1].a.boolean"),
        Bad(member: "\"a\":{\"date\":\"soon\"}", "entities[1].a.date is \"soon\""),
        Bad(
            member: "\"a\":{\"date\":\"2020-01-01T00:00:00.1234567Z\"}", "whole microseconds"),
        Bad(member: "\"a\":{\"data\":\"*\"}", "entities[1].a.data isn't base64"),
        Bad(member: "\"a\":{\"entity\":\"\"}", "doesn't name an entity"),
        Bad(member: "\"a\":{\"string\":\"x\",\"integer\":1}", "more than one value"),
        Bad(member: "\"a\":{\"color\":\"x\"}", "entities[1].a.color does not belong"),
        Bad(member: "\"a\":[{\"string\":\"x\"},{\"strin\":\"y\"}]", "entities[1].a[1].strin"),
        Bad(member: "\"a\":99999999999999999999", "too large for a 64-bit integer"),
        Bad(member: "\"a\":1e999", "too large for a double"),
        Bad(member: "\"a\":{\"array\":[{\"$date\":\"x\"}]}", "$date"),
        Bad(member: "\"datestamp\":5", "entities[1].datestamp is a number"),
        Bad(member: "\"\":5", "empty key"),
        Bad(member: "\"a\":\"\u{1}\"", "control character"),
        Bad(member: "\"a\":\"\\ud800\"", "surrogate"),
        Bad(String(repeating: "[", count: 100_000), "nested too deeply"),
    ]

    @Test(arguments: bad)
    private func invalidTextThrowsAndChangesNothing(_ bad: Bad) async throws {
        let store = try await store(
            #"{"entities":[{"type":"t","identifier":"there","a":1}]}"#)
        let before = try await store.records()
        let message = await expectError(.invalidInterchange) {
            try await store.importInterchange(Data(bad.text.utf8))
        }
        #expect(message.contains(bad.says), "\(message)")
        #expect(try await store.records() == before)
    }

    @Test func textThatIsNotUTF8IsRefused() async throws {
        let store = try EntityStore.inMemory()
        _ = await expectError(.invalidInterchange) {
            try await store.importInterchange(
                Data(Array("{\"entities\":[{\"type\":\"".utf8) + [0xFF] + Array("\"}]}".utf8)))
        }
    }
}
