import Automerge
import EntityStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The writers of the parts of texts.
@Suite struct AuthorsTests {
    private func parts(_ detail: Detail?) -> [String] {
        detail?.sections.first { $0.title == "Text" }?.lines.flatMap { line in
            line.parts.isEmpty
                ? [line.text] : line.parts.map { "\($0.author?.name ?? ""): \($0.text)" }
        } ?? []
    }

    @Test func keptWordsKeepTheirWriter() {
        let first = WordAuthors("milk and eggs", by: "anna", after: [])
        let second = WordAuthors("milk, bread and eggs", by: "ben", after: [first])
        #expect(second.parts.map(\.text) == ["milk", ", bread", " and eggs"])
        #expect(second.parts.map(\.author) == ["anna", "ben", "anna"])
        let other = WordAuthors("milk and ten eggs", by: "cleo", after: [first])
        let merged = WordAuthors("milk, bread and ten eggs", by: "anna", after: [second, other])
        #expect(
            merged.parts.map { "\($0.author) \($0.text)" } == [
                "anna milk", "ben , bread", "anna  and ", "cleo ten ", "anna eggs",
            ])
    }

    @Test func shortWordsInOtherSurroundingsAreNotKept() {
        let first = WordAuthors("with the first half of it", by: "anna", after: [])
        let second = WordAuthors("Rescue the ficus (half-dead)", by: "ben", after: [first])
        #expect(
            second.parts.map { "\($0.author) \($0.text)" } == [
                "ben Rescue", "anna  the ", "ben ficus (half-dead)",
            ])
        // A long word, and words at the same end of both texts, are kept.
        let third = WordAuthors("buy butter, it", by: "ben", after: [first])
        #expect(third.parts.last?.author == "anna" && third.parts.last?.text == " it")
        let fourth = WordAuthors(
            "(butter)", by: "ben", after: [WordAuthors("my butter!", by: "anna", after: [])])
        #expect(fourth.parts.map(\.author) == ["ben", "anna", "ben"])
    }

    @Test func everyWordOfAKeyHasADevice() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write("anna", ["note": "Buy milk\nand eggs"])
        try shared.sync("ben")
        try shared.write("ben", ["note": "Buy oat milk\nand eggs"])
        try shared.sync("cleo")
        try shared.write("cleo", ["note": "Buy oat milk\nand ten eggs"])
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.keys)
        #expect(source.hasAuthors)
        let detail = try await source.authors(of: RowID("note"), at: nil)
        #expect(
            parts(detail) == [
                "anna: Buy ", "ben: oat ", "anna: milk", "anna: and ", "cleo: ten ", "anna: eggs",
            ])
        #expect(
            detail?.lines("Writers") == ["anna  68.0%", "ben   16.0%", "cleo  16.0%"])
        await pane.close()
    }

    @Test func concurrentValueIsComparedOnlyWithSeenValues() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write("anna", ["note": "one two"])
        for device in ["ben", "cleo"] { try shared.sync(device) }
        try shared.write("ben", ["note": "one two three"])
        try shared.write("cleo", ["note": "one two three four"])
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.source(.keys).authors(of: RowID("note"), at: nil)
        #expect(parts(detail) == ["anna: one two", "cleo:  three four"])
        await pane.close()
    }

    @Test func membersOfAMapHaveWritersOfTheirOwn() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write(
            "anna", ["note": .dictionary(["n": .integer(1), "t": "a b", "u": .integer(2)])])
        try shared.sync("ben")
        try shared.write(
            "ben", ["note": .dictionary(["n": .integer(12), "t": "a c", "u": .integer(2)])])
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.source(.keys).authors(of: RowID("note"), at: nil)
        #expect(
            parts(detail) == ["n", "ben: 12", "t", "anna: a ", "ben: c", "u", "anna: 2"])
        await pane.close()
    }

    /// Returns the labels and parts of a list that two devices wrote, one after the other.
    private func parts(
        of items: [PropertyList], after earlier: [PropertyList]
    ) -> [String] {
        let anna = TextWriter(.actor("anna"))
        let first = AuthoredValue(PropertyList.array(earlier), by: anna, after: [])
        let ben = TextWriter(.actor("ben"))
        let second = AuthoredValue(PropertyList.array(items), by: ben, after: [first])
        return second.texts().map { text in
            let parts = text.parts.map { "\($0.writer.author.name) \($0.text)" }
            return "\(text.label): \(parts.joined(separator: "|"))"
        }
    }

    @Test func unchangedItemsOfAListKeepTheirWriter() {
        #expect(
            parts(of: ["new", "milk", "eggs"], after: ["milk", "eggs"])
                == ["0: ben new", "1: anna milk", "2: anna eggs"])
        #expect(
            parts(of: ["eggs", 7], after: ["milk", "eggs", 7]) == ["0: anna eggs", "1: anna 7"])
        #expect(
            parts(of: ["a", "x", "b", "y", "c"], after: ["a", "b", "c"])
                == ["0: anna a", "1: ben x", "2: anna b", "3: ben y", "4: anna c"])
    }

    @Test func editedItemsKeepTheWritersOfTheirWords() {
        #expect(
            parts(of: ["call Cleo", "buy oat milk", "rest"], after: ["buy milk", "rest"])
                == ["0: ben call Cleo", "1: anna buy |ben oat |anna milk", "2: anna rest"])
        func task(_ title: String, isDone: Bool) -> PropertyList {
            .dictionary(["title": .string(title), "isDone": .boolean(isDone)])
        }
        #expect(
            parts(
                of: [task("sweep the floor", isDone: false), task("buy milk", isDone: true)],
                after: [task("buy milk", isDone: false)])
                == [
                    "0 › isDone: ben false", "0 › title: ben sweep the floor",
                    "1 › isDone: ben true", "1 › title: anna buy milk",
                ])
        #expect(
            parts(of: [["z"], ["a", "b", "c"]], after: [["a", "c"]])
                == ["0 › 0: ben z", "1 › 0: anna a", "1 › 1: ben b", "1 › 2: anna c"])
    }

    @Test func itemsBeyondTheLimitHaveAnUnknownWriter() {
        let long = (0..<600).map { PropertyList.integer($0) }
        let parts = parts(of: Array(long.dropFirst(200)), after: long)
        #expect(parts.count == 400)
        #expect(parts[299] == "299: anna 499" && parts[300] == "300: unknown 500")
    }

    @Test func textAfterADeletionBelongsToItsWriter() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write("anna", ["note": "one two"])
        try shared.sync("ben")
        try shared.write("ben", ["note": nil])
        try shared.write("ben", ["note": "one three"])
        let pane = try await PaneSession(shared.path)
        let detail = try await pane.source(.keys).authors(of: RowID("note"), at: nil)
        #expect(parts(detail) == ["ben: one three"])
        await pane.close()
    }

    @Test func emptyValuesAndTextsAreDistinguished() async throws {
        let document = try DocumentSamples.document(1)
        _ = try document.putObject(obj: .ROOT, key: "map", ty: .Map)
        try document.put(obj: .ROOT, key: "text", value: .String(""))
        document.commitWith(message: "first")
        let folder = try TemporaryFolder()
        let pane = try await PaneSession(
            try DocumentSamples.write(document, to: folder), device: nil)
        let source = try pane.source(.documents)
        let map = try await source.authors(of: RowID("/map"), at: nil)
        #expect(map?.sections.map(\.title) == ["Writers"])
        #expect(map?.lines("Writers") == ["no values inside"])
        let text = try await source.authors(of: RowID("/text"), at: nil)
        #expect(text?.lines("Writers") == ["the text is empty"])
        await pane.close()
    }

    @Test func leftOutPartsAreReported() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write("anna", ["short": .array([.integer(1)])])
        try shared.write("anna", ["long": .array((0..<501).map { .integer($0) })])
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.keys)
        for (key, count, isCut) in [("short", 1, false), ("long", 500, true)] {
            let written = try #require(
                try await source.writtenTexts(of: RowID(key), part: nil, at: nil))
            #expect(written.texts.count == count && written.isCut == isCut, "\(key)")
        }
        await pane.close()
    }

    @Test func everyPartHasTheTimeOfItsWrite() async throws {
        let shared = try SharedPackage(hasStory: false)
        try shared.write("anna", ["note": "one two"])
        let first = shared.clock.now
        try shared.write("anna", ["note": "one two three"])
        let second = shared.clock.now
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.keys)
        let written = try await source.writtenTexts(of: RowID("note"), part: nil, at: nil)
        let writers = try #require(written?.texts.first).parts.map(\.writer)
        #expect(writers.map(\.instant) == [first, second])
        #expect(written?.shares.map(\.author.name) == ["anna"])
        await pane.close()
    }

    @Test func everyDeviceOfACounterHasItsAmount() throws {
        let one = try DocumentSamples.document(1)
        try one.put(obj: .ROOT, key: "count", value: .Counter(5))
        one.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 1_000_000_000))
        let two = one.fork()
        two.actor = try DocumentSamples.actor(2)
        try one.increment(obj: .ROOT, key: "count", by: 1)
        for amount: Int64 in [-4, 2] { try two.increment(obj: .ROOT, key: "count", by: amount) }
        try one.merge(other: two)
        let view = DocumentView(one)
        func written(_ pointer: String) throws -> WrittenTexts {
            try view.writtenTexts(at: pointer, asOf: nil, name: \.name)
        }
        let counter = try written("/count")
        #expect(counter.texts.map { $0.parts.map(\.text) } == [["6", " -2"]])
        #expect(counter.shares.map(\.share) == [0.75, 0.25])
        // Next to other values, an amount weighs as much as its digits.
        #expect(try written("").shares.map(\.share) == [0.75, 0.25])
        let value = try #require(
            try one.place(.Key("count"), of: .ROOT, at: nil)?.winner.content)
        #expect(value == .scalar(.Counter(4)))
    }

    /// Creates a package with an entity whose text three devices edited.
    private func entityPackage() async throws -> (TemporaryFolder, StorePackage) {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let clock = TestClock()
        func write(_ device: String, _ properties: PropertyDictionary) async throws {
            clock.advance(microseconds: 1_000_000)
            let store = try await EntityStore.open(package, as: device, at: clock)
            let note = EntityReference.identifier("note")
            if try await store.records(of: [note])[0] == nil {
                try await store.add([(.new("note", identifier: "note"), properties)])
            } else {
                try await store.set([(note, properties)])
            }
            await store.close()
        }
        try await write("anna", ["name": "N", "text": "Buy milk\nand eggs"])
        try await write("ben", ["text": "Buy oat milk\nand eggs"])
        try await write("cleo", ["text": "Buy oat milk\nand ten eggs"])
        return (folder, package)
    }

    @Test func everyWordOfAPropertyHasADevice() async throws {
        let (folder, package) = try await entityPackage()
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.entities)
        #expect(source.hasAuthors)
        #expect(
            parts(try await source.authors(of: RowID("note"), at: nil)) == [
                "name", "anna: N", "text", "anna: Buy ", "ben: oat ", "anna: milk", "anna: and ",
                "cleo: ten ", "anna: eggs",
            ])
        let text = try await source.writtenTexts(of: RowID("note"), part: "text", at: nil)
        #expect(text?.texts.map(\.label) == ["text"])
        #expect(try await source.writtenTexts(of: RowID("note"), part: "due", at: nil) == nil)
        #expect(try await source.writtenTexts(of: RowID("book"), part: nil, at: nil) == nil)
        await pane.close()
        withExtendedLifetime(folder) {}
    }

    @Test func relatedEntityIsNamed() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let store = try await EntityStore.open(
            package, device: DeviceID("anna"), configuration: EntityStore.Configuration())
        var note = PropertyDictionary()
        note["for"] = Property(EntityValue.relationship(.identifier("ben")), type: nil)
        try await store.add([
            (.new("person", identifier: "ben"), ["name": "Ben Okafor"]),
            (.new("note", identifier: "note"), note),
        ])
        await store.close()
        let pane = try await PaneSession(package.path)
        let detail = try await pane.source(.entities).authors(of: RowID("note"), at: nil)
        #expect(parts(detail) == ["for", "anna: → Ben Okafor"])
        await pane.close()
    }

    @Test func wordsOfAMissingLogHaveAnUnknownWriter() async throws {
        let (folder, package) = try await entityPackage()
        try FileManager.default.removeItem(atPath: package.path + "/Devices/ben")
        let pane = try await PaneSession(package.path)
        let written = try await pane.source(.entities).writtenTexts(
            of: RowID("note"), part: "text", at: nil)
        #expect(written?.hasUnknownWriters == true)
        #expect(
            written?.texts.flatMap(\.parts).map { "\($0.writer.author.name): \($0.text)" } == [
                "anna: Buy ", "unknown: oat ", "anna: milk\nand", "unknown:  ten", "anna:  eggs",
            ])
        await pane.close()
        withExtendedLifetime(folder) {}
    }

    @Test func textOfADocumentHasItsActors() async throws {
        let folder = try TemporaryFolder()
        let one = try DocumentSamples.document(1)
        let text = try one.putObject(obj: .ROOT, key: "text", ty: .Text)
        try one.spliceText(obj: text, start: 0, delete: 0, value: "milk\nand eggs")
        let two = one.fork()
        two.actor = try DocumentSamples.actor(2)
        try two.spliceText(obj: text, start: 4, delete: 0, value: " bread")
        try two.put(obj: .ROOT, key: "done", value: .Boolean(true))
        try one.merge(other: two)
        let session = try StoreOpener(device: nil).open(DocumentSamples.write(one, to: folder))
        try await session.reload()
        let source = try #require(session.panes.first { $0.id == .documents }).source
        #expect(
            parts(try await source.authors(of: RowID("/text"), at: nil)) == [
                "01: milk", "02:  bread", "01: and eggs",
            ])
        #expect(parts(try await source.authors(of: RowID("/done"), at: nil)) == ["02: true"])
        await session.close()
    }
}
