import Foundation
import Testing

@testable import Automerge

/// The small public value types.
@Suite struct ValueTests {
    @Test func scalarsOfDifferentKindsAreDifferent() {
        let values: [ScalarValue] = [
            .Null, .Boolean(false), .Boolean(true), .Uint(1), .Int(1), .F64(1), .Counter(1),
            .String("1"), .Bytes(Data([1])), .Timestamp(Date(timeIntervalSince1970: 1)),
            .Unknown(typeCode: 10, data: Data([1])), .Unknown(typeCode: 11, data: Data([1])),
        ]
        #expect(Set(values).count == values.count)
    }

    @Test func everyScalarEqualsItself() {
        #expect(ScalarValue.F64(.nan) == .F64(.nan))
        #expect(Set([ScalarValue.F64(.nan), .F64(-.nan), .F64(.signalingNaN)]).count == 1)
        #expect(ScalarValue.F64(0) == .F64(-0.0))
        #expect(Set([ScalarValue.F64(0), .F64(-0.0)]).count == 1)
    }

    @Test(arguments: [0, 1, -1, 1_600_014_055_402, -905_182_979_000, 4_102_444_800_001])
    func timestampsKeepTheirMilliseconds(milliseconds: Int64) {
        guard case .Timestamp(let date) = ScalarValue.timestamp(milliseconds: milliseconds) else {
            Issue.record("no timestamp")
            return
        }
        #expect(ScalarValue.milliseconds(of: date) == milliseconds)
    }

    @Test func datesOutOfRangeAreClamped() {
        #expect(ScalarValue.milliseconds(of: Date(timeIntervalSince1970: 1e300)) == .max)
        #expect(ScalarValue.milliseconds(of: Date(timeIntervalSince1970: -1e300)) == .min)
        #expect(ScalarValue.milliseconds(of: Date(timeIntervalSince1970: .nan)) == 0)
    }

    @Test func integersOutOfRangeAreRefused() throws {
        #expect(throws: IntScalarConversionError.self) {
            try Int8.fromScalarValue(.Int(128)).get()
        }
        #expect(throws: IntScalarConversionError.self) {
            try UInt16.fromScalarValue(.Uint(65536)).get()
        }
        #expect(try Int8.fromScalarValue(.Int(-128)).get() == -128)
        #expect(try UInt64.fromScalarValue(.Uint(.max)).get() == .max)
        #expect(throws: UIntScalarConversionError.self) { try UInt.fromScalarValue(.Int(1)).get() }
    }

    @Test func scalarsRoundTrip() throws {
        func same<S: ScalarValueRepresentable & Equatable>(_ value: S) throws -> Bool {
            try S.fromScalarValue(value.toScalarValue()).get() == value
        }
        #expect(try same(true))
        #expect(try same("text"))
        #expect(try same(Data([1, 2])))
        #expect(try same(-4))
        #expect(try same(UInt(4)))
        #expect(try same(1.25))
        #expect(try same(Float(1.25)))
        #expect(try same(Date(timeIntervalSince1970: 12)))
        #expect(try same(#require(URL(string: "https://automerge.org/"))))
        #expect(try same(ScalarValue.Counter(3)))
    }

    @Test func hashesAreThirtyTwoBytes() throws {
        let hash = try #require(ChangeHash(bytes: Array(UInt8(0)..<32)))
        #expect(hash.bytes == Array(0..<32))
        #expect(hash.debugDescription.hasPrefix("000102"))
        #expect(ChangeHash(hexadecimal: hash.debugDescription) == hash)
        #expect(ChangeHash(bytes: [1, 2]) == nil)
        #expect(ChangeHash(hexadecimal: "0g") == nil)
    }

    @Test func headsRoundTripThroughBytes() throws {
        let hashes = Set(
            (0..<5).compactMap { ChangeHash(bytes: [UInt8](repeating: $0, count: 32)) })
        #expect(hashes.raw().count == 160)
        #expect(hashes.raw().heads() == hashes)
        #expect(hashes.raw().dropFirst(32).heads()?.count == 4)
        #expect(Data([1, 2, 3]).heads() == nil)
        #expect(Data().heads() == [])
    }

    @Test func objectsAreEqualWhateverTheirActorIndex() {
        let actor = ActorId(bytes: [1, 2])
        let first = ObjId(counter: 4, actor: actor, actorHint: 0)
        let second = ObjId(counter: 4, actor: actor, actorHint: 7)
        #expect(first == second)
        #expect(Set([first, second, .ROOT]).count == 2)
        #expect(first != ObjId(counter: 5, actor: actor, actorHint: 0))
        #expect(first.description == "4@0102")
    }

    @Test func cursorsMatchTheBytesOfTheReference() {
        #expect(Cursor(.start).bytes == [1, 1])
        #expect(Cursor(.end).bytes == [1, 2])
        let element = Cursor.Place.element(
            counter: 300, actor: ActorId(bytes: [0xAB, 0xCD]), movesBack: false)
        #expect(Cursor(element).description == "010302ABCDAC0202")
    }
}
