import Automerge
import Foundation
import TestSupport
import Testing

@testable import DocumentStore

/// A document that `anna` created and both `anna` and `ben` edited, each having seen the other's
/// edits.
struct DamageScene {
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
        // Fixed actors keep the sizes reproducible. The sizes decide whether the last save is a
        // delta.
        document.automerge.actor = try Self.actor(1)
        for number in 0..<30 {
            try document.put("key \(number)", .String("by anna, \(number)"))
            document.automerge.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        }
        try anna.save()
        withoutBen = document.automerge.heads()
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let copy = try #require(try ben.openDocument(id))
        copy.automerge.actor = try Self.actor(2)
        for number in 0..<6 {
            try copy.put("ben \(number)", .Bytes(Data((0..<900).map { UInt8($0 % 251) })))
            try ben.save()
        }
        heads = copy.automerge.heads()
        try ben.close()
        try anna.close()
        let file = try devices.file("ben", in: "ben")
        try runSQL("PRAGMA page_size = \(pageSize); VACUUM", at: file.path, isTransaction: false)
        self.ben = try Data(contentsOf: file)
    }

    private static func actor(_ number: UInt8) throws -> ActorId {
        try #require(ActorId(data: Data(repeating: number, count: 16)))
    }

    /// Ben's file without the content of his first delta.
    func withoutFirstDelta() throws -> Data {
        try change(
            """
            DELETE FROM content WHERE id = (SELECT min(content.id) FROM content
                JOIN log USING (id) WHERE operation = 4)
            """)
    }

    func change(_ sql: String) throws -> Data {
        let file = try devices.file("ben", in: "ben")
        try ben.write(to: file)
        try runSQL(sql, at: file.path)
        return try Data(contentsOf: file)
    }
}
