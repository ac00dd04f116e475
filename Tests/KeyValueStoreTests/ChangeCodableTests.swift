import Foundation
import KeyValueStore
import Replication
import Testing

@Suite struct ChangeCodableTests {
    private func change(
        _ timestamp: Int64, parent: Int64? = nil, parents: [(String, Int64)]? = nil,
        key: String = "note/1/title", bytes: Data?
    ) throws -> Change {
        Change(
            timestamp: Timestamp(microseconds: timestamp),
            parentTimestamp: parent.map { Timestamp(microseconds: $0) },
            parents: try parents?.map { device, timestamp in
                LogRow.Reference(
                    device: try DeviceID(device), timestamp: Timestamp(microseconds: timestamp))
            }, key: key, bytes: bytes)
    }

    private func text(_ change: Change) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(change), as: UTF8.self)
    }

    @Test func encodedFormatIsStable() throws {
        #expect(
            try text(
                change(
                    817_204_500_000_000, parent: 817_204_400_000_000,
                    parents: [("ipad", 817_204_400_000_000), ("é", 5)],
                    bytes: PropertyList.string("Groceries").binary()))
                == #"{"key":"note/1/title","parentTimestamp":817204400000000,"#
                + #""parents":[{"device":"ipad","timestamp":817204400000000},"#
                + #"{"device":"é","timestamp":5}],"timestamp":817204500000000,"#
                + #""value":"Groceries"}"#)
        #expect(
            try text(change(1, parents: [], bytes: nil))
                == #"{"key":"note/1/title","parents":[],"timestamp":1}"#)
        #expect(
            try text(change(1, bytes: Data([1, 2, 3])))
                == #"{"bytes":"AQID","key":"note/1/title","timestamp":1}"#)
    }

    @Test func everyChangeRoundTrips() throws {
        // The same list in another layout, as Apple's writer may produce it: an equal value with
        // different bytes.
        var foreign = try PropertyList.string("x").binary()
        foreign.append(foreign)
        let values = BinaryPlistTests.samples
        var changes = try values.enumerated().map { index, value in
            try change(Int64(index), parent: .min, key: "k\(index)", bytes: value.binary())
        }
        for bytes in [nil, Data(), Data([0]), foreign, foreign.dropFirst(1)] {
            changes.append(try change(.max, parents: [("a", .min)], key: "é\u{301}", bytes: bytes))
        }
        let json = try JSONEncoder().encode(changes)
        #expect(try JSONDecoder().decode([Change].self, from: json) == changes)
        let list = try #require(try PropertyList(encoding: changes))
        #expect(try list.value(as: [Change].self) == changes)
    }

    @Test func rowsCopiedAsJSONProduceTheSameLog() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "k")
        try store.set(contentsOf: ["k": 2.0, "l": ["$date": "x"], "m": nil])
        try store.save()
        let rows = try store.rows(since: nil)
        let json = try JSONEncoder().encode(rows.map { Change($0) })
        let other = try StoreFixture()
        let copy = try other.store("b")
        let changes = try JSONDecoder().decode([Change].self, from: json)
        #expect(try copy.insertChanges(changes, into: DeviceID("a"), appendOnly: false) == 4)
        try copy.load()
        #expect(copy.everything == store.everything)
        #expect(
            try copy.rows(since: nil).map { Change($0) } == rows.map { Change($0) })
    }

    @Test(arguments: [
        #"{"key":"k"}"#, #"{"timestamp":1}"#, #"{"key":"k","timestamp":"soon"}"#,
        #"{"key":"k","timestamp":1,"value":1,"bytes":"AA=="}"#,
        #"{"key":"k","timestamp":1,"bytes":"?"}"#,
        #"{"key":"k","timestamp":1,"parents":[{"device":"../x","timestamp":1}]}"#,
        #"{"key":"k","timestamp":1,"parents":[{"device":"a"}]}"#,
        #"{"key":"k","timestamp":1e30}"#, #"{"key":"k","timestamp":1,"value":{"$data":1}}"#,
    ])
    func invalidChangesAreRefused(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Change.self, from: Data(text.utf8))
        }
    }
}
