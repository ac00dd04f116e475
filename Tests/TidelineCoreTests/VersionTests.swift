import EntityStore
import Foundation
import KeyValueStore
import Replication
import Testing

@testable import TidelineCore

/// Earlier versions of keys and of properties: looking at them, and restoring them.
@Suite struct VersionTests {
    private func versions(_ detail: Detail) -> [Detail.Version] {
        detail.sections.filter { $0.title.hasPrefix("History") }.flatMap(\.lines)
            .compactMap(\.version)
    }

    @Test func versionOfAKeyShowsTheDifferencesFromNow() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        let versions = versions(try await pane.detail(.keys, "note/1/title"))
        #expect(versions.map(\.writer.name) == ["ben", "anna"])
        let row = RowID("note/1/title")
        let source = try pane.source(.keys)
        let first = try #require(try await source.version(versions[1], of: row))
        #expect(first.lines("Earlier version").first == "device anna")
        #expect(first.lines("Earlier value").first == "Groceries")
        #expect(
            first.lines("Differs") == ["then without these words", "now Groceries list"])
        #expect(first.sections.flatMap(\.lines).allSatisfy { $0.field == nil })
        let current = try #require(try await source.version(versions[0], of: row))
        let same = current.lines("Differs")
        #expect(same.count == 1 && same.first?.hasPrefix("no") == true)
        let elsewhere = Detail.Version(at: versions[1].instant, by: try DeviceID("cleo"))
        #expect(try await source.version(elsewhere, of: row) == nil)
        await pane.close()
    }

    @Test func differencesNameTheParts() throws {
        let then = PropertyList.dictionary([
            "title": "old plan", "done": .boolean(false), "tags": .array(["a", "b"]),
        ])
        let now = PropertyList.dictionary([
            "title": "new plan", "tags": .array(["a", "c"]), "due": .integer(3),
        ])
        let lines = Detail.Line.differences(from: then, to: now)
        #expect(
            lines.map { "\($0.label) \($0.text)" } == [
                " done", "then false", "now not set", " due", "then not set", "now 3",
                " tags › 1", "then b", "now c", " title", "then old plan", "now new plan",
            ])
        #expect(lines[10].parts == [.init("old", isMarked: true), .init(" plan")])
        #expect(Detail.Line.differences(from: now, to: now).isEmpty)
    }

    @Test func furtherLinesOfATextContinueTheFirst() {
        let then = PropertyList.string("one\ntwo\nthree")
        let lines = Detail.Line.differences(from: then, to: PropertyList.string("1\n2\n3"))
        #expect(lines.map(\.label) == ["then", "", "", "now", "", ""])
        #expect(lines.map(\.isContinuation) == [false, true, true, false, true, true])
        let tree = PropertyList.dictionary(["a": then]).tree()
        #expect(tree.map(\.label) == ["", "a", "", ""])
        #expect(tree.map(\.isContinuation) == [false, false, true, true])
    }

    @Test func restOfALongListIsFoldedWithIt() {
        let list = PropertyList.array((0..<3000).map { PropertyList.integer($0) }).tree()
        #expect(list.count == 501 && list.last?.text == "… more" && list.last?.depth == 1)
        #expect(list.filter(\.isOmission).count == 1)
    }

    @Test func propertyIsRestoredFromItsHistoryAndUndone() async throws {
        let shared = try SharedPackage(hasStory: false)
        let ben = try await EntityStore.open(shared.package, device: DeviceID("ben"))
        let anna = EntityReference.identifier("anna")
        try await ben.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "age": 21])
        ])
        try await ben.set([(anna, ["name": "Anna Lind", "age": 22])])
        await ben.close()
        let pane = try await PaneSession(shared.path)
        let row = RowID("anna")
        func values() async throws -> [String] {
            try await pane.detail(.entities, "anna").lines("Properties")
        }
        let version = try #require(
            versions(try await pane.detail(.entities, "anna")).last {
                $0.property == FieldPath("name")
            })
        let shown = try #require(try await pane.source(.entities).version(version, of: row))
        #expect(shown.title == "Anna Lind › name" && shown.lines("Earlier value") == ["Anna"])
        #expect(shown.lines("Differs") == ["then without these words", "now Anna Lind"])
        let edit = Edit.restore([row], field: version.property, at: version.instant)
        let preview = try await pane.source(.entities).preview(edit)
        #expect(preview.rowCount == 1)
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "Anna Lind › name", old: "\"Anna Lind\"", new: "\"Anna\"")
            ])
        let applied = try await pane.source(.entities).apply(preview)
        #expect(try await values() == ["age 22", "name Anna"])
        for step in applied.undo { try await pane.perform(step, in: .entities) }
        #expect(try await values() == ["age 22", "name Anna Lind"])
        // Without a property, the entity is restored as a whole.
        let all = try await pane.perform(.restore([row], at: version.instant), in: .entities)
        #expect(try await values() == ["age 21", "name Anna"])
        for step in all.undo { try await pane.perform(step, in: .entities) }
        #expect(try await values() == ["age 22", "name Anna Lind"])
        await pane.close()
    }

    @Test func propertyIsNotDeletedIfALogIsNotDownloaded() async throws {
        let shared = try SharedPackage(hasStory: false)
        let ben = try await EntityStore.open(shared.package, device: DeviceID("ben"))
        let anna = EntityReference.identifier("anna")
        try await ben.add([(.new("person", identifier: "anna"), ["name": "Anna"])])
        let before = try #require(await ben.nearestWrite(to: .distantFuture, backwards: true))
        try await ben.set([(anna, ["age": 22])])
        await ben.close()
        let folder = shared.path + "/Devices/cleo"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("bplist00".utf8).write(to: URL(filePath: folder + "/.Entities.db.icloud"))
        let pane = try await PaneSession(shared.path)
        let source = try pane.source(.entities)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.restore([RowID("anna")], at: before))
        }
        #expect(error?.code == .unreadable && error?.message.contains("cleo") == true)
        await pane.close()
    }

    @Test func deletedEntityIsRestored() async throws {
        let shared = try SharedPackage(hasStory: false)
        let ben = try await EntityStore.open(shared.package, device: DeviceID("ben"))
        try await ben.add([
            (.new("person", identifier: "anna"), ["name": "Anna"]),
            (.new("book", identifier: "emma"), ["title": "Emma"]),
        ])
        try await ben.relate(
            [(.identifier("anna"), .identifier("emma"))], key: "reads")
        let before = try #require(await ben.nearestWrite(to: .distantFuture, backwards: true))
        try await ben.delete([.identifier("anna"), .identifier("emma")])
        await ben.close()
        let pane = try await PaneSession(shared.path)
        #expect(try await pane.names(.entities).isEmpty)
        let source = try pane.source(.entities)
        // Emma isn't restored, so nothing can relate to it.
        let preview = try await source.preview(.restore([RowID("anna")], at: before))
        #expect(preview.warnings.contains { $0.contains("anna: emma ") })
        let applied = try await source.apply(preview)
        #expect(try await pane.detail(.entities, "anna").lines("Properties") == ["name Anna"])
        for step in applied.undo { try await pane.perform(step, in: .entities) }
        #expect(try await pane.names(.entities).isEmpty)
        let both = [RowID("anna"), RowID("emma")]
        try await pane.perform(.restore(both, at: before), in: .entities)
        let properties = try await pane.detail(.entities, "anna").lines("Properties")
        #expect(properties.contains("reads → Emma"))
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.restore(both, at: before))
        }
        #expect(error?.code == .unchanged)
        await pane.close()
    }
}
