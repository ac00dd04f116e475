import Automerge
import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Chunks that are damaged, missing or there twice, and every page of `Documents.db`.
@Suite struct DamageTests {
    /// A document that `anna` made and that `anna` and `ben` edited, knowing of each other.
    private struct Scene {
        let devices: Devices
        let id: UUID
        let heads: Set<ChangeHash>
        let ben: Data
        let withoutBen: Set<ChangeHash>

        init(pageSize: Int = 4_096) throws {
            devices = try Devices()
            let anna = try devices.open("anna")
            id = try anna.newWorkspace(named: "shared").id
            let document = try #require(try anna.openDocument(id))
            for number in 0..<30 {
                try document.put("key \(number)", .String("by anna, \(number)"))
                document.automerge.commitWith(timestamp: Date(timeIntervalSince1970: 0))
            }
            try anna.save()
            withoutBen = document.automerge.heads()
            try devices.carry(from: "anna", to: "ben")
            let ben = try devices.open("ben")
            let copy = try #require(try ben.openDocument(id))
            for number in 0..<6 {
                try copy.put("ben \(number)", .Bytes(Data((0..<900).map { UInt8($0 % 251) })))
                try ben.save()
            }
            heads = copy.automerge.heads()
            try ben.close()
            try anna.close()
            let file = try devices.file("ben", in: "ben")
            let queue = try DatabaseQueue(path: file.path)
            try queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA page_size = \(pageSize); VACUUM")
            }
            try queue.close()
            self.ben = try Data(contentsOf: file)
        }

        func change(_ sql: String) throws -> Data {
            let file = try devices.file("ben", in: "ben")
            try ben.write(to: file)
            let queue = try DatabaseQueue(path: file.path)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
            return try Data(contentsOf: file)
        }
    }

    @Test func aDamagedChunkIsNamedAndHeals() throws {
        let scene = try Scene()
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
        // What is edited meanwhile stays.
        try document.put("meanwhile", .Int(1))
        try anna.save()
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        try anna.sync()
        #expect(anna.problems(of: scene.id)?.isEmpty == true)
        #expect(scene.heads.isSubset(of: document.automerge.getHistory()))
        #expect(try document.get("meanwhile") == .Scalar(.Int(1)))
    }

    @Test func aMissingChunkIsNamedAndHeals() throws {
        let scene = try Scene()
        let short = try scene.change(
            "DELETE FROM content WHERE id = (SELECT max(id) FROM content)")
        try scene.devices.place(short, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        #expect(
            anna.problems(of: scene.id)?.damagedChunks.values.first == "its bytes are not there")
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        try anna.sync()
        #expect(anna.problems(of: scene.id)?.isEmpty == true)
        #expect(document.automerge.heads() == scene.heads)
    }

    @Test func aDeltaThatWaitsForADamagedOneIsTakenInLater() throws {
        let scene = try Scene()
        let short = try scene.change(
            """
            DELETE FROM content WHERE id = (SELECT min(content.id) FROM content
                JOIN log USING (id) WHERE operation = 4)
            """)
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

    @Test func chunksThatAreThereTwiceChangeNothing() throws {
        let scene = try Scene()
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

    @Test func aMissingRowKeepsWhatComesAfterItWaiting() throws {
        let scene = try Scene()
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

    @Test func aFileThatIsAnotherNowLosesNothingThatIsOpen() throws {
        let scene = try Scene()
        try scene.devices.place(scene.ben, of: "ben", in: "anna")
        let anna = try scene.devices.open("anna")
        let document = try #require(try anna.openDocument(scene.id))
        #expect(document.automerge.heads() == scene.heads)
        // Ben's device begins anew: its log has another identity and other rows.
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

    @Test func aSoundOwnFileIsNeededToWrite() throws {
        let scene = try Scene()
        let damaged = try scene.change("DROP TABLE content")
        try scene.devices.place(damaged, of: "ben", in: "ben")
        let ben = try scene.devices.open("ben")
        let before = try Data(contentsOf: scene.devices.file("ben", in: "ben"))
        #expect(throws: (any Error).self) { try ben.newWorkspace() }
        #expect(try Data(contentsOf: scene.devices.file("ben", in: "ben")) == before)
        try scene.devices.place(scene.ben, of: "ben", in: "ben")
        _ = try ben.newWorkspace(named: "healed")
    }

    @Test(arguments: PageDamage.allCases)
    func anyPageMayBeDamaged(_ damage: PageDamage) throws {
        let scene = try Scene(pageSize: 512)
        for page in PageDamage.pages(of: scene.ben.count / 512, quick: 8) {
            var random = SeededRandom(seed: UInt64(page))
            let file = damage.applied(to: scene.ben, page: page, of: 512, using: &random)
            try scene.devices.place(file, of: "ben", in: "anna")
            let anna = try scene.devices.open("anna")
            let document = try #require(try anna.openDocument(scene.id))
            let known = Set(document.automerge.getHistory())
            #expect(scene.withoutBen.isSubset(of: known), "page \(page)")
            let isWhole = scene.heads.isSubset(of: known)
            let status = anna.devices.first { $0.device.name == "ben" }
            let isTold =
                anna.problems(of: scene.id)?.isEmpty == false || status?.state != .ok
                || status?.problem != nil
            #expect(isWhole || isTold, "page \(page): \(String(describing: status))")
            try scene.devices.place(scene.ben, of: "ben", in: "anna")
            try anna.sync()
            #expect(
                scene.heads.isSubset(of: document.automerge.getHistory()),
                "page \(page) does not heal")
            #expect(anna.problems(of: scene.id)?.isEmpty == true, "page \(page)")
            try anna.close()
        }
    }
}
