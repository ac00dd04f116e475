import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// The changes of documents that devices and peers provably have.
@Suite struct SeenChangesTests {
    private let devices: Devices
    private let id: UUID
    private let (anna, ben): (DeviceID, DeviceID)

    init() throws {
        devices = try Devices()
        (anna, ben) = (try DeviceID("anna"), try DeviceID("ben"))
        let store = try devices.open("anna")
        id = try store.newWorkspace(named: "shared").id
        try store.close()
        try devices.carry(from: "anna", to: "ben")
    }

    /// Edits the document as a device, one change per key.
    ///
    /// - Returns: The heads after the edits.
    @discardableResult
    private func edit(
        _ device: String, _ keys: String..., at date: Date = Date(timeIntervalSince1970: 0)
    ) throws -> Set<ChangeHash> {
        let store = try devices.open(device)
        defer { try? store.close() }
        let document = try #require(try store.openDocument(id))
        for key in keys {
            try document.put(key, .Int(1))
            document.automerge.commitWith(timestamp: date)
        }
        try store.save()
        return document.automerge.heads()
    }

    private func seen(in holder: String = "anna") throws -> SeenChanges<DeviceID> {
        let store = try devices.open(holder, writes: false)
        defer { try? store.close() }
        return store.seenChanges()
    }

    /// Returns a total without its times.
    private func counts(
        _ total: SeenChanges<DeviceID>.Total
    ) -> SeenChanges<DeviceID>.Total {
        var total = total
        (total.newestSeen, total.newest) = (nil, nil)
        return total
    }

    @Test func newestSeenChangeHasItsTime() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        try edit("anna", "a", "b", at: start)
        try devices.carry(from: "anna", to: "ben")
        try edit("ben", "c", at: start + 10)
        try devices.carry(from: "ben", to: "anna")
        try edit("anna", "d", at: start + 100)
        let total = try seen().total(of: ben, about: anna)
        #expect(total.newestSeen == Timestamp(start) && total.newest == Timestamp(start + 100))
        #expect(total.timeBehind == .seconds(100) && total.behindCount == 1)
        let other = try seen().total(of: anna, about: ben)
        #expect(other.newestSeen == Timestamp(start + 10) && other.timeBehind == .zero)
        let stranger = try seen().total(of: DeviceID("stranger"), about: anna)
        #expect(stranger.newestSeen == nil && stranger.timeBehind == nil)
    }

    @Test func changeProvesTheChangesThatItsDeviceHadSeen() throws {
        let first = try edit("anna", "a", "b")
        try devices.carry(from: "anna", to: "ben")
        let answer = try edit("ben", "c")
        try devices.carry(from: "ben", to: "anna")
        var seen = try seen()
        let made = seen.total(of: anna, about: anna).seenCount
        #expect(seen.documents == [id] && seen.unread.isEmpty)
        #expect(seen.holders == [anna, ben])
        #expect(seen.entry(of: ben, in: id) == .init(heads: answer, behindCount: 0, behind: [:]))
        #expect(
            seen.entry(of: anna, in: id) == .init(heads: first, behindCount: 1, behind: [ben: 1]))
        #expect(counts(seen.total(of: ben, about: anna)) == .init(seenCount: made))
        #expect(
            counts(seen.total(of: anna, about: ben))
                == .init(seenCount: 0, behindCount: 1, documentsBehind: [id]))

        // Ben doesn't prove that he has the next changes.
        try edit("anna", "d", "e", "f")
        seen = try self.seen()
        #expect(seen.entry(of: ben, in: id).behind == [anna: 3])
        #expect(seen.entry(of: anna, in: id).behindCount == 0)
        #expect(counts(seen.total(of: anna, about: ben)) == .init(seenCount: 1))
        #expect(
            counts(seen.total(of: ben, about: anna))
                == .init(seenCount: made, behindCount: 3, documentsBehind: [id]))
    }

    @Test func compactionKeepsTheProof() throws {
        try edit("anna", "a", "b")
        try devices.carry(from: "anna", to: "ben")
        try edit("ben", "c")
        try devices.carry(from: "ben", to: "anna")
        let before = try seen()
        let store = try devices.open("anna")
        try store.compact(id)
        try store.close()
        let after = try seen()
        for device in [anna, ben] {
            #expect(after.entry(of: device, in: id) == before.entry(of: device, in: id))
        }
    }

    @Test func deviceWithoutChangesIsBehindEveryChange() throws {
        try edit("anna", "a")
        let seen = try seen()
        let stranger = try DeviceID("stranger")
        let count = seen.total(of: anna, about: anna).seenCount
        let entry = seen.entry(of: stranger, in: id)
        #expect(entry == .init(heads: [], behindCount: count, behind: [anna: count]))
        #expect(seen.documents(of: stranger).isEmpty)
        #expect(seen.total(of: stranger, about: anna).documentsBehind == [id])
        #expect(seen.entry(of: anna, in: UUID()).behindCount == 0)
    }

    @Test func unreadableDocumentIsListedAndOthersAreCounted() throws {
        let store = try devices.open("anna")
        let other = try store.newWorkspace(named: "other").id
        try store.close()
        try edit("anna", "a")
        let file = try devices.file("anna", in: "anna")
        let bytes = try Data(contentsOf: file)
        // The chunks of one document are damaged in place.
        let reader = try devices.open("anna", writes: false)
        let chunk = try #require(reader.chunks(of: other).first)
        let data = try #require(try reader.contents(of: chunk))
        try reader.close()
        var damaged = bytes
        var start = damaged.startIndex
        while let range = damaged[start...].firstRange(of: data) {
            damaged.replaceSubrange(range, with: Data(repeating: 0, count: data.count))
            start = range.upperBound
        }
        try damaged.write(to: file)
        let seen = try seen()
        #expect(seen.documents == [id])
        #expect(seen.unread.keys.sorted() == [other])
    }

    // MARK: Peers of a storage folder

    private func state(_ heads: Set<ChangeHash>) -> Data {
        var bytes: [UInt8] = [0x43, UInt8(heads.count)]
        for head in heads {
            let digits = Array(head.debugDescription)
            for index in stride(from: 0, to: digits.count, by: 2) {
                bytes.append(UInt8(String(digits[index...index + 1]), radix: 16) ?? 0)
            }
        }
        return Data(bytes)
    }

    @Test func peersOfAStorageFolderHaveTheHeadsOfTheirSyncState() throws {
        let path = devices.folder.appending("storage")
        let store = try AutomergeStore(
            creatingStorageFolder: path, configuration: devices.configuration)
        let document = try store.newWorkspace().index
        var versions: [Set<ChangeHash>] = []
        for number in 0..<5 {
            try document.put("key", .Int(Int64(number)))
            document.automerge.commitWith(timestamp: Date(timeIntervalSince1970: 0))
            versions.append(document.automerge.heads())
        }
        try store.save()
        let invented = try #require(ChangeHash(hexadecimal: String(repeating: "ab", count: 32)))
        let states = [
            "current": state(versions[4]), "behind": state(versions[1]), "empty": state([]),
            "invented": state([invented]), "damaged": Data([0x43, 0xFF, 1]), "torn": Data(),
        ]
        let text = document.id.automergeID
        let folder = "\(path)/\(text.prefix(2))/\(text.dropFirst(2))/sync-state"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ignored = ["not a\u{1b}name": state([])]
        for (name, data) in states.merging(ignored, uniquingKeysWith: { $1 }) {
            try data.write(to: URL(filePath: "\(folder)/\(name)"))
        }
        let seen = store.seenChangesOfPeers()
        #expect(seen.holders == ["current", "behind", "empty", "invented"])
        #expect(seen.entry(of: "current", in: document.id).behindCount == 0)
        #expect(seen.entry(of: "current", in: document.id).heads == versions[4])
        #expect(
            seen.entry(of: "behind", in: document.id)
                == .init(heads: versions[1], behindCount: 3, behind: [:]))
        for peer in ["empty", "invented"] {
            #expect(seen.entry(of: peer, in: document.id).heads == [])
            #expect(
                seen.entry(of: peer, in: document.id).behindCount
                    == document.automerge.changeCount)
        }
        #expect(store.seenChanges().holders.isEmpty)
        try store.close()
    }
}
