import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Damaged, missing and duplicated chunks.
@Suite struct DamageTests {
    @Test func damagedChunkIsNamedAndHeals() throws {
        let scene = try DamageScene()
        let damaged = try scene.change(
            """
            UPDATE content SET data = substr(data, 1, 20) || x'00ff00' || substr(data, 24)
            WHERE id = (SELECT max(id) FROM content)
            """)
        try scene.devices.place(damaged, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        #expect(anna.problems(of: scene.id)?.damagedChunks.count == 1)
        #expect(document.automerge.heads() != scene.heads)
        #expect(try document.get("key 7") == .Scalar(.String("by anna, 7")))
        // Edits made in the meantime stay.
        try document.put("meanwhile", .Int(1))
        try anna.save()
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        try anna.sync()
        #expect(anna.problems(of: scene.id)?.isEmpty == true)
        #expect(scene.heads.isSubset(of: document.automerge.getHistory()))
        #expect(try document.get("meanwhile") == .Scalar(.Int(1)))
    }

    @Test func missingChunkIsNamedAndHeals() throws {
        let scene = try DamageScene()
        let short = try scene.change(
            "DELETE FROM content WHERE id = (SELECT max(id) FROM content)")
        try scene.devices.place(short, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        let problems = try #require(anna.problems(of: scene.id))
        #expect(problems.damagedChunks.count == 1)
        #expect(problems.damagedChunks.values.first?.contains("missing") == true)
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        try anna.sync()
        #expect(anna.problems(of: scene.id)?.isEmpty == true)
        #expect(document.automerge.heads() == scene.heads)
    }

    @Test func deltaThatDependsOnADamagedOneIsAppliedLater() throws {
        let scene = try DamageScene()
        let short = try scene.withoutFirstDelta()
        try scene.devices.place(short, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        let problems = try #require(anna.problems(of: scene.id))
        #expect(!problems.damagedChunks.isEmpty)
        #expect(problems.lines.count == (problems.missing.isEmpty ? 1 : 2))
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        try anna.sync()
        #expect(document.automerge.heads() == scene.heads)
    }

    @Test func duplicateChunksChangeNothing() throws {
        let scene = try DamageScene()
        let doubled = try scene.change(
            """
            INSERT INTO log SELECT id + (SELECT max(id) FROM log), timestamp, operation, workspace,
                document, chunk, size, value FROM log WHERE operation <> 5;
            INSERT INTO content SELECT id + (SELECT max(id) FROM log) / 2, data FROM content
                WHERE (SELECT count(*) FROM log WHERE operation = 5) = 0
            """)
        try scene.devices.place(doubled, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        #expect(scene.heads == document.automerge.heads())
    }

    @Test func rowsAfterAMissingRowWait() throws {
        let scene = try DamageScene()
        let gap = try scene.change(
            "DELETE FROM log WHERE id = (SELECT max(id) - 1 FROM log)")
        try scene.devices.place(gap, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let status = try #require(anna.devices.first { $0.device.name == "ben" })
        #expect(status.state == .incomplete)
        #expect(status.problem?.contains("missing") == true)
        _ = try anna.openDocument(scene.id)
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        try anna.sync()
        #expect(anna.devices.first { $0.device.name == "ben" }?.state == .ok)
        #expect(try anna.openDocument(scene.id)?.automerge.heads() == scene.heads)
    }

    @Test func replacedFileLosesNothingOfAnOpenDocument() throws {
        let scene = try DamageScene()
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        #expect(document.automerge.heads() == scene.heads)
        // Ben's device starts over: its log has a new identity and other rows.
        try FileManager.default.removeItem(at: scene.devices.file("ben", in: "ben"))
        let ben = try scene.devices.open("ben")
        _ = try ben.newWorkspace(named: "new")
        try ben.close()
        try scene.devices.carry(from: "ben", to: "anna")
        try anna.sync()
        try anna.close()
        let again = try #require(try scene.devices.open("anna").openDocument(scene.id))
        #expect(again.automerge.heads() == scene.heads)
    }

    /// The rows of both files have the same numbers.
    @Test func compactingIntoAReplacedFileDeletesNothingInIt() throws {
        let devices = try Devices()
        var files: [Data] = []
        var ids: [UUID] = []
        for name in ["first", "second"] {
            let anna = try devices.open("anna")
            ids.append(try anna.newWorkspace(named: name).id)
            try #require(try anna.openDocument(ids[ids.count - 1])).put("name", .String(name))
            try anna.close()
            let file = try devices.file("anna", in: "anna")
            files.append(try Data(contentsOf: file))
            try FileManager.default.removeItem(at: file)
        }
        try devices.place(files[0], of: "anna", in: "anna")
        let anna = try devices.open("anna")
        let document = try #require(try anna.openDocument(ids[0]))
        try document.put("more", .Int(1))
        try devices.place(files[1], of: "anna", in: "anna")
        try anna.compact(ids[0])
        try anna.close()
        let again = try devices.open("anna", writes: false)
        let first = try #require(try again.openDocument(ids[0]))
        let second = try #require(try again.openDocument(ids[1]))
        #expect(try first.get("name") == .Scalar(.String("first")))
        #expect(try first.get("more") == .Scalar(.Int(1)))
        #expect(try second.get("name") == .Scalar(.String("second")))
        #expect(again.problems(of: ids[1])?.isEmpty == true)
    }

    /// A delta that waited for a damaged one is kept as it is and isn't written again.
    @Test func waitingDeltaIsNotStoredTwice() throws {
        let scene = try DamageScene()
        let short = try scene.withoutFirstDelta()
        try scene.devices.place(short, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        _ = try anna.openDocument(scene.id)
        let count = anna.chunks(of: scene.id).count { $0.device?.name == "anna" }
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        let document = try #require(try anna.openDocument(scene.id))
        try anna.sync()
        try anna.save()
        #expect(document.automerge.heads() == scene.heads)
        #expect(anna.chunks(of: scene.id).count { $0.device?.name == "anna" } == count)
    }

    @Test func fileOfAWriterKilledBeforeItsFirstTransactionIsUsable() throws {
        let devices = try Devices()
        let file = try devices.file("anna", in: "anna")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try runSQL(DocumentLog().creationSQL, at: file.path, isTransaction: false)
        #expect(try Data(contentsOf: file).count > 0)
        let reader = try devices.open("anna", writes: false)
        #expect(reader.devices.first?.state == .incomplete)
        let anna = try devices.open("anna")
        let id = try anna.newWorkspace(named: "first").id
        try anna.close()
        try reader.sync()
        #expect(try reader.openDocument(id) != nil)
        #expect(reader.devices.first?.state == .ok)
    }

    @Test func damagedOwnFileRefusesWrites() throws {
        let scene = try DamageScene()
        let damaged = try scene.change("DROP TABLE content")
        try scene.devices.place(damaged, of: "ben", in: "ben")
        let ben = try scene.devices.open("ben")
        let before = try Data(contentsOf: scene.devices.file("ben", in: "ben"))
        #expect(throws: (any Error).self) { try ben.newWorkspace() }
        #expect(try Data(contentsOf: scene.devices.file("ben", in: "ben")) == before)
        try scene.devices.place(scene.ben, of: "ben", in: "ben")
        _ = try ben.newWorkspace(named: "healed")
    }
}
