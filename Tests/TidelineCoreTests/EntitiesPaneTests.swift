import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The entities panes, used as the screen uses them.
@Suite struct EntitiesPaneTests {
    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    /// Writes two people and a book as another device.
    private func write() async throws {
        let store = try await EntityStore.open(package, device: DeviceID("ben"))
        try await store.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "age": 21]),
            (.new("person", identifier: "ben"), ["name": "Ben"]),
            (.new("book", identifier: "moby"), ["title": "Moby-Dick", "pages": 635]),
        ])
        try await store.relate(
            [(.identifier("moby"), .identifier("anna"))], key: "reader", type: "read by")
        await store.close()
    }

    /// Opens a part on the written entities and waits until it is loaded.
    private func part(isWritable: Bool = true) async throws -> EntitiesPart {
        let part = EntitiesPart(
            package: package, device: try DeviceID("desk"), isWritable: isWritable)
        let (loaded, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        part.start { continuation.yield($0) }
        for await event in loaded where [.loaded, .status].contains(event.kind) { break }
        return part
    }

    private func source(_ part: EntitiesPart, _ pane: PaneID) throws -> any RowSource {
        try #require(part.panes.first { $0.id == pane }).source
    }

    private func names(_ source: any RowSource, _ query: RowQuery = RowQuery()) async throws
        -> [String]
    {
        try await source.window(WindowRequest(query: query, count: 100)).rows.map(\.id.name)
    }

    @Test func valuesOfAPropertyAreFiltersOfItsTable() async throws {
        try await write()
        let part = try await part()
        let types = try source(part, .types)
        func found(_ type: String, _ column: String) async throws -> [String: [String]] {
            let table = try #require(try await types.open(RowID(type), at: nil))
            var counter = try #require(ValueFrequencies.Counter(column, of: table.info))
            for row in try await table.window(WindowRequest(query: RowQuery(), count: 9)).rows {
                counter.add(row)
            }
            var found: [String: [String]] = [:]
            for item in counter.frequencies(limit: 9).items {
                found[item.cell.text] = []
                guard let filter = item.filter else { continue }
                found[item.cell.text] = try await names(table, RowQuery(filter: filter))
            }
            return found
        }
        #expect(try await found("book", "p:pages") == ["635": ["moby"]])
        #expect(try await found("book", "p:reader") == ["→ Anna": ["moby"]])
        // No filter selects the rows without a value. The name of a common field needs a prefix.
        #expect(try await found("person", "p:age") == ["21": ["anna"], "": []])
        await part.close()
    }

    @Test func historicalStateIsReleased() async throws {
        try await write()
        let part = try await part()
        let types = try #require(try source(part, .types) as? TypesSource)
        let entities = try source(part, .entities)
        let now = Timestamp(Date())
        #expect(try await names(types, RowQuery(instant: now)).contains("person"))
        #expect(try await names(entities, RowQuery(instant: now)).count == 3)
        weak let past = try await types.context.store(at: now)
        #expect(past != nil)
        entities.forgetPast()
        #expect(past == nil)
        #expect(try await names(entities, RowQuery(instant: now)).count == 3)
        await part.close()
    }

    @Test func filtersMatchEachOfSeveralValues() async throws {
        try await write()
        let store = try await EntityStore.open(package, device: DeviceID("ben"))
        let moby = EntityReference.identifier("moby")
        try await store.relate([(moby, .identifier("ben"))], key: "reader")
        try await store.add([(moby, ["pages": 700])])
        await store.close()
        let part = try await part()
        let books = try #require(try await source(part, .types).open(RowID("book"), at: nil))
        for filter in ["reader:anna", "reader:ben", "pages<650", "pages>650", "635"] {
            #expect(try await names(books, RowQuery(filter: filter)) == ["moby"], "\(filter)")
        }
        #expect(try await names(books, RowQuery(filter: "-reader:anna")).isEmpty)
        await part.close()
    }

    @Test func everyEntityAndTypeIsListed() async throws {
        try await write()
        let part = try await part()
        #expect(try await names(source(part, .entities)).sorted() == ["anna", "ben", "moby"])
        let types = try source(part, .types)
        #expect(try await names(types) == ["book", "person"])
        let books = try #require(try await types.open(RowID("book"), at: nil))
        #expect(books.columns.map(\.title).prefix(4) == ["NAME", "PAGES", "READER", "TITLE"])
        let row = try await books.window(WindowRequest(count: 9)).rows[0]
        #expect(row.cells.prefix(4).map(\.text) == ["Moby-Dick", "635", "→ Anna", "Moby-Dick"])
        let status = SessionStatus([part.status], isWritable: true)
        #expect(status.counts == [.entities: 3, .types: 2])
        await part.close()
    }

    @Test func entitiesAreFilteredSortedAndSearched() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        #expect(try await names(entities, RowQuery(filter: "type:person -anna")) == ["ben"])
        let sorted = RowQuery(sort: .init(column: "name", isDescending: true))
        #expect(try await names(entities, sort(sorted)) == ["ben", "anna", "moby"])
        await #expect(throws: FilterError.self) {
            _ = try await names(entities, RowQuery(filter: "color:x"))
        }
        let found = try await entities.window(
            WindowRequest(position: .search("dick", from: 0, backwards: false), count: 1))
        #expect(found.found != nil)
        let around = try await entities.window(
            WindowRequest(position: .row(RowID("ben"), offset: 0, fallback: 0), count: 1))
        #expect(around.rows.map(\.id.name) == ["ben"])
        await part.close()
    }

    private func sort(_ query: RowQuery) -> RowQuery { query }

    @Test func inspectorLinksForwardAndBack() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let book = try #require(try await entities.detail(of: RowID("moby"), at: nil))
        let forward = book.sections.flatMap(\.lines).compactMap(\.link)
        #expect(forward == [.init(pane: .entities, row: RowID("anna"))])
        let reader = try #require(try await entities.detail(of: RowID("anna"), at: nil))
        let back = reader.sections.flatMap(\.lines).compactMap(\.link)
        #expect(back == [.init(pane: .entities, row: RowID("moby"))])
        let history = try #require(reader.sections.first { $0.title == "History (2)" })
        #expect(history.lines.filter { $0.label == "ben" }.count == 2)
        #expect(try await entities.detail(of: RowID("nobody"), at: nil) == nil)
        await part.close()
    }

    @Test func historyLineLinksToItsInstant() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        for value in ["22", "23"] {
            _ = try await perform(
                .set(RowID("anna"), field: "age", TypedText(.integer, value)), on: entities)
        }
        let detail = try #require(try await entities.detail(of: RowID("anna"), at: nil))
        let history = try #require(detail.sections.first { $0.title.hasPrefix("History") })
        let line = try #require(history.lines.first { $0.text.hasSuffix("  22") })
        let instant = try #require(line.instant)
        let then = try #require(try await entities.detail(of: RowID("anna"), at: instant))
        #expect(then.sections[0].lines.contains { $0.label == "age" && $0.text == "22" })
        #expect(detail.sections[0].lines.contains { $0.label == "age" && $0.text == "23" })
        await part.close()
    }

    @Test func expandedBytesAreShownAsHexadecimalDigits() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let bytes = Data((0..<40).map { UInt8($0 + 60) })
        _ = try await perform(
            .set(
                RowID("anna"), field: "photo", TypedText(.data, bytes.base64EncodedString())),
            on: entities)
        let detail = try #require(try await entities.detail(of: RowID("anna"), at: nil))
        let lines = detail.sections[0].lines
        let first = try #require(lines.firstIndex { $0.label == "photo" })
        #expect(lines[first].startsFolded)
        let hex = lines[(first + 1)...].prefix { $0.bytes != nil }
        #expect(hex.compactMap(\.bytes).reduce(Data(), +) == bytes)
        #expect(hex.allSatisfy { $0.depth == lines[first].depth + 1 })
        #expect(hex.first?.text.hasPrefix("3c 3d 3e") == true)
        await part.close()
    }

    private func perform(_ edit: Edit, on source: any RowSource) async throws -> AppliedEdit {
        try await source.apply(try await source.preview(edit))
    }

    /// Returns everything that an entity shows, as text.
    private func state(_ source: any RowSource) async throws -> [String] {
        var lines: [String] = []
        for row in try await names(source).sorted() {
            let detail = try await source.detail(of: RowID(row), at: nil)
            let shown = (detail?.sections ?? []).filter { !$0.title.hasPrefix("History") }
                .flatMap(\.lines).filter { $0.label != "modified" }
            lines.append(
                row + ": " + shown.map { "\($0.label) \($0.text)" }.joined(separator: "; "))
        }
        return lines
    }

    @Test func everyEditCanBeUndoneAndRedone() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let edits: [Edit] = [
            .set(RowID("anna"), field: "age", TypedText(.integer, "22")),
            .set(RowID("anna"), field: nil, TypedText(.string, "Anna L.")),
            .set(RowID("anna"), field: "new", TypedText(.json, "[1,{\"a\":true}]")),
            .add(name: "mail", parent: RowID("anna"), TypedText(.string, "a@x")),
            .add(name: "age", parent: RowID("anna"), TypedText(.integer, "23")),
            .add(name: "friend", parent: RowID("anna"), TypedText(.relationship, "Ben")),
            .relate(RowID("ben"), field: "knows", to: RowID("anna"), kind: "well"),
            .remove([RowID("anna")], field: "age"),
            .remove([RowID("anna"), RowID("ben")], field: nil),
            .add(name: "place", parent: nil, TypedText(.string, "Kyoto")),
        ]
        for edit in edits {
            let before = try await state(entities)
            let applied = try await perform(edit, on: entities)
            let after = try await state(entities)
            #expect(after != before, "\(edit)")
            let undone = try await perform(try #require(applied.undo.first), on: entities)
            #expect(try await state(entities) == before, "\(edit)")
            let again = try await perform(try #require(undone.undo.first), on: entities)
            #expect(try await state(entities) == after, "\(edit)")
            _ = try await perform(try #require(again.undo.first), on: entities)
            #expect(try await state(entities) == before, "\(edit)")
        }
        await part.close()
    }

    @Test func previewDescribesTheEditAndWritesNothing() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let preview = try await entities.preview(
            .set(RowID("anna"), field: "age", TypedText(.integer, "22")))
        #expect(
            preview.changes.map(\.asLines) == [.init(subject: "Anna › age", old: "21", new: "22")])
        #expect(preview.device?.name == "desk")
        #expect(preview.file == "Devices/desk/Entities.db")
        #expect(preview.createsDevice)
        #expect(try package.device(DeviceID("desk")).exists == false)
        await part.close()
    }

    @Test func longNamesAreTruncatedInTitles() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let (anna, long) = (RowID("anna"), String(repeating: "n", count: 100_000))
        _ = try await perform(.set(anna, field: "name", TypedText(.string, long)), on: entities)
        let preview = try await entities.preview(
            .set(anna, field: "age", TypedText(.integer, "22")))
        #expect(preview.summary == "set \(long.prefix(200))… › age")
        #expect(preview.changes.first?.subject == "\(long.prefix(200))… › age")
        await part.close()
    }

    @Test func deletionPreviewListsTheRelationshipsItRemoves() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        _ = try await perform(
            .relate(RowID("ben"), field: "knows", to: RowID("anna"), kind: "well"), on: entities)
        let preview = try await entities.preview(.remove([RowID("anna")], field: nil))
        #expect(
            preview.changes.map(\.subject) == ["person anna", "Ben › knows", "Moby-Dick › reader"])
        #expect(preview.changes.allSatisfy { $0.new == nil })
        #expect(preview.changes.dropFirst().map(\.old?.line) == ["→ anna", "→ anna"])
        // If both ends are deleted, the preview doesn't mention their relationship.
        let both = try await entities.preview(
            .remove([RowID("anna"), RowID("ben")], field: nil))
        #expect(both.changes.map(\.subject) == ["person anna", "person ben", "Moby-Dick › reader"])
        await part.close()
    }

    @Test func addedRelationshipIsShownNextToTheExistingValue() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let preview = try await entities.preview(
            .relate(RowID("moby"), field: "reader", to: RowID("ben"), kind: ""))
        let change = try #require(preview.changes.first?.asLines)
        // The existing value stays.
        #expect(change.old == nil)
        #expect(change.new?.line.contains("ben") == true)
        #expect(preview.warnings.count == 1 && preview.warnings.first?.hasPrefix("reader ") == true)
        let first = try await entities.preview(
            .relate(RowID("moby"), field: "owner", to: RowID("ben"), kind: ""))
        #expect(first.changes.first?.old == nil && first.warnings.isEmpty)
        // Setting the property replaces both values.
        _ = try await entities.apply(preview)
        let set = try await entities.preview(
            .set(RowID("moby"), field: "reader", TypedText(.relationship, "ben")))
        #expect(set.warnings.count == 1 && set.warnings.first?.hasPrefix("1 added value ") == true)
        await part.close()
    }

    @Test func relationshipPreviewNamesItsKindAndTarget() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let preview = try await entities.preview(
            .relate(RowID("moby"), field: "lent to", to: RowID("Ben"), kind: "for a week"))
        #expect(preview.summary == "relate Moby-Dick › lent to → Ben as for a week")
        #expect(preview.changes.first?.subject == "Moby-Dick › lent to")
        #expect(preview.changes.first?.new?.line == "→ ben  Ben  (for a week)")
        _ = try await entities.apply(preview)
        let detail = try #require(try await entities.detail(of: RowID("moby"), at: nil))
        #expect(
            detail.sections.flatMap(\.lines).contains {
                $0.label == "lent to" && $0.text == "→ Ben  (for a week)"
            })
        await part.close()
    }

    @Test func ambiguousNameIsRefusedAndItsEntitiesAreListed() async throws {
        try await write()
        let store = try await EntityStore.open(package, device: DeviceID("ben"))
        try await store.add([(.new("dog", identifier: "ben-2"), ["label": "Ben"])])
        await store.close()
        let part = try await part()
        let entities = try source(part, .entities)
        for edit in [
            Edit.relate(RowID("moby"), field: "reader", to: RowID("Ben"), kind: ""),
            .set(RowID("moby"), field: "reader", TypedText(.relationship, "Ben")),
        ] {
            let error = await #expect(throws: EditError.self) {
                _ = try await entities.preview(edit)
            }
            #expect(error?.message.contains(": ben (person), ben-2 (dog)") == true)
        }
        // An identifier comes before names.
        let preview = try await entities.preview(
            .relate(RowID("moby"), field: "reader", to: RowID("ben"), kind: ""))
        #expect(preview.changes.first?.new?.line == "→ ben  Ben")
        await part.close()
    }

    @Test func undoIsReportedLikeTheEdit() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let applied = try await perform(
            .set(RowID("anna"), field: "age", TypedText(.integer, "22")), on: entities)
        let undo = try await entities.preview(try #require(applied.undo.first))
        #expect(undo.summary == "set Anna › age")
        #expect(undo.changes.map(\.asLines) == [.init(subject: "Anna › age", old: "22", new: "21")])
        let undone = try await entities.apply(undo)
        let redo = try await entities.preview(try #require(undone.undo.first))
        #expect(redo.changes.map(\.asLines) == [.init(subject: "Anna › age", old: "21", new: "22")])
        await part.close()
    }

    @Test func arrowInATextIsNotARelationship() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let field = FieldPath("friend")
        _ = try await perform(
            .set(RowID("anna"), field: field, TypedText(.string, "→ Ben")), on: entities)
        #expect(
            try await entities.editableValue(of: RowID("anna"), field: field)
                == TypedText(.string, "→ Ben"))
        _ = try await perform(
            .set(RowID("anna"), field: field, TypedText(.relationship, "Ben")), on: entities)
        let typed = try #require(
            try await entities.editableValue(of: RowID("anna"), field: field))
        #expect(typed == TypedText(.relationship, "ben"))
        // The edited form is the current value.
        await expectNothingToWrite(.set(RowID("anna"), field: field, typed), on: entities)
        await part.close()
    }

    private func expectNothingToWrite(
        _ edit: Edit, on source: any RowSource, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: EditError.self, sourceLocation: sourceLocation) {
            try await source.preview(edit)
        }
        #expect(error == .sameValue, sourceLocation: sourceLocation)
    }

    @Test func sameValueIsNotWrittenAgain() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let (anna, age) = (RowID("anna"), FieldPath("age"))
        await expectNothingToWrite(.set(anna, field: nil, TypedText(.string, "Anna")), on: entities)
        await expectNothingToWrite(.set(anna, field: age, TypedText(.integer, "21")), on: entities)
        // Another type is another value.
        let preview = try await entities.preview(
            .set(anna, field: age, TypedText(.string, "21")))
        #expect(!preview.resolvesConflict && preview.warnings.isEmpty)
        await part.close()
    }

    @Test func oneOfTwoSimultaneousEditsIsRejected() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        for round in 0..<20 {
            let previews = try await [1, 2].asyncMap { number in
                try await entities.preview(
                    .set(
                        RowID("anna"), field: "age",
                        TypedText(.integer, String(100 + 10 * round + number))))
            }
            let written = await withTaskGroup(of: Bool.self) { group in
                for preview in previews {
                    group.addTask { (try? await entities.apply(preview)) != nil }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(written == 1, "round \(round)")
        }
        await part.close()
    }

    @Test func previewShowsNoGeneratedIdentifier() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let preview = try await entities.preview(
            .add(name: "place", parent: nil, TypedText(.string, "Kyoto")))
        #expect(
            preview.changes.map(\.asLines) == [.init(subject: "place", old: nil, new: "name Kyoto")]
        )
        #expect(entities.addForm == AddForm(name: "type", value: "name"))
        await part.close()
    }

    @Test func packageWithoutEntitiesHasAPaneToAddOne() async throws {
        let reading = try await part(isWritable: false)
        #expect(reading.panes.isEmpty)
        reading.setWritable(true)
        #expect(reading.panes.map(\.id) == [.entities, .types])
        _ = try await perform(
            .add(name: "place", parent: nil, TypedText(.string, "Kyoto")),
            on: try source(reading, .entities))
        // Once an entity exists, it can be read.
        reading.setWritable(false)
        try await wait { !reading.panes.isEmpty }
        await reading.close()
        let nobody = EntitiesPart(package: package, device: nil, isWritable: true)
        #expect(!nobody.panes.isEmpty)
    }

    @Test func editIsNotWrittenIfTheValueChanged() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        let edit = Edit.set(RowID("anna"), field: "age", TypedText(.integer, "22"))
        let preview = try await entities.preview(edit)
        _ = try await perform(edit, on: entities)
        await #expect(throws: EditError.self) { _ = try await entities.apply(preview) }
        await part.close()
    }

    @Test func invalidEditsFailWithAReason() async throws {
        try await write()
        let part = try await part()
        let entities = try source(part, .entities)
        for edit in [
            Edit.set(RowID("nobody"), field: "a", TypedText(.string, "x")),
            .set(RowID("anna"), field: "age", TypedText(.integer, "x")),
            .set(RowID("anna"), field: "age", TypedText(.relationship, "nobody")),
            .remove([RowID("anna")], field: "nothing"),
            .relate(RowID("anna"), field: "to", to: RowID("nobody"), kind: ""),
            .rename(RowID("anna"), to: "zoe"),
        ] {
            await #expect(throws: EditError.self, "\(edit)") {
                _ = try await entities.preview(edit)
            }
        }
        await #expect(throws: EditError.self) {
            _ = try await perform(
                .set(RowID("anna"), field: "type", TypedText(.string, "x")), on: entities)
        }
        await part.close()
        let reading = try await self.part(isWritable: false)
        let closed = try source(reading, .entities)
        #expect(closed.edits[.set] == .unavailable(because: "read-only; press w to unlock"))
        await #expect(throws: EditError.self) {
            _ = try await perform(.remove([RowID("anna")], field: nil), on: closed)
        }
        await reading.close()
    }

    @Test func timeTravelShowsTheEntitiesOfThatTime() async throws {
        let clock = TestClock()
        let store = try await EntityStore.open(
            package, device: DeviceID("ben"),
            configuration: .init(clock: clock.hybrid))
        try await store.add([(.new("person", identifier: "anna"), ["age": 1])])
        let then = clock.now
        clock.advance(microseconds: 10)
        try await store.set([(.identifier("anna"), ["age": 2])])
        try await store.add([(.new("person", identifier: "later"), [:])])
        clock.advance(microseconds: 10)
        try await store.delete([.identifier("anna")])
        await store.close()
        let part = try await part()
        let entities = try source(part, .entities)
        #expect(try await names(entities) == ["later"])
        #expect(try await names(entities, RowQuery(instant: then)) == ["anna"])
        let detail = try #require(try await entities.detail(of: RowID("anna"), at: then))
        #expect(detail.sections[0].lines.map(\.text) == ["1"])
        let timeline = try #require(Timeline([try await part.activity(buckets: 3)], buckets: 3))
        #expect(timeline.first == then)
        #expect(
            try await part.step(from: then, backwards: false, device: nil)
                == Timestamp(microseconds: then.microseconds + 10))
        await part.close()
    }
}
