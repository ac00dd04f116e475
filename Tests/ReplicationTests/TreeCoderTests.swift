import Foundation
import Testing

@testable import Replication

@Suite struct TreeCoderTests {
    private struct Address: Codable, Equatable {
        var street: String
        var numbers: [UInt8]
    }

    private enum Shape: Codable, Equatable {
        case circle(radius: Double)
        case named(String, Int?)
        case nothing
    }

    private struct Everything: Codable, Equatable {
        var text = "日本 \u{0}\u{1b}"
        var truth = false
        var small = Int8.min
        var large = Int64.max
        var unsigned = UInt64.max
        var platform = Int.min
        var single: Float = 0.1
        var double = Double.leastNonzeroMagnitude
        var infinite = -Double.infinity
        var date = Date(timeIntervalSinceReferenceDate: 12.345678901)
        var data = Data([0, 255])
        var url = URL(filePath: "/a b/ü?#")
        var uuid = UUID()
        var decimal = Decimal(string: "-1234567890.123456789012345678901234567")
        var noDecimal = Decimal.nan
        var optional: Int?
        var twice: Int?? = .some(3)
        var shapes: [Shape] = [.circle(radius: 1), .named("x", nil), .named("y", 2), .nothing]
        var address: Address? = Address(street: "A", numbers: [0, 255])
        var byName: [Name: Int] = ["e\u{301}": 1, "\u{e9}": 2]
        var byNumber: [Int: [String]] = [-1: [], 7: ["a", "b"]]
        var matrix: [[Double]] = [[1, 2.5], []]
        var empty: [String: String] = [:]
        var range = 1..<5
        var set: Set<String> = ["a"]
    }

    @Test func everyKindOfMemberRoundTrips() throws {
        let value = Everything()
        let tree = try #require(try Tree.encoding(value))
        #expect(try tree.decode(as: Everything.self) == value)
        guard case .dictionary(let members) = tree else {
            Issue.record("it is no dictionary")
            return
        }
        #expect(members["unsigned"] == .unsigned(.max))
        #expect(members["date"] == .date(value.date))
        #expect(members["uuid"] == .string(value.uuid.uuidString))
        #expect(members["decimal"] == .string("-1234567890.123456789012345678901234567"))
        #expect(members["optional"] == nil)
        #expect(members["byName"]?.members?.count == 2)
    }

    @Test func scalarsRoundTrip() throws {
        func comesBack<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
            let tree = try #require(try Tree.encoding(value))
            return try tree.decode(as: Value.self) == value
        }
        #expect(try comesBack(7))
        #expect(try comesBack(UInt64.max))
        #expect(try comesBack("text"))
        #expect(try comesBack([true, false]))
        #expect(try comesBack(Date(timeIntervalSinceReferenceDate: -0.1)))
        #expect(try comesBack([1, nil, 3]))
        #expect(try comesBack(Int?.none))
        #expect(try comesBack(["a": Int?.none]))
    }

    // MARK: Superclasses

    private class Animal: Codable {
        var legs: Int

        init(legs: Int) { self.legs = legs }
    }

    private final class Dog: Animal {
        var name: String
        var friends: [Int]

        private enum Keys: String, CodingKey { case name, friends }

        init(name: String) {
            self.name = name
            friends = [1, 2]
            super.init(legs: 4)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(name, forKey: .name)
            var list = container.nestedUnkeyedContainer(forKey: .friends)
            for friend in friends { try list.encode(friend) }
            try super.encode(to: container.superEncoder())
        }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            name = try container.decode(String.self, forKey: .name)
            var list = try container.nestedUnkeyedContainer(forKey: .friends)
            friends = []
            while !list.isAtEnd { friends.append(try list.decode(Int.self)) }
            try super.init(from: container.superDecoder())
        }
    }

    @Test func superclassIsNestedInItsSubclass() throws {
        let tree = try #require(try Tree.encoding([Dog(name: "Rex")]))
        let expected: Tree = .array([
            .dictionary([
                "name": .string("Rex"), "friends": .array([.integer(1), .integer(2)]),
                "super": .dictionary(["legs": .integer(4)]),
            ])
        ])
        #expect(tree == expected)
        let dog = try #require(try tree.decode(as: [Dog].self).first)
        #expect(dog.name == "Rex" && dog.legs == 4 && dog.friends == [1, 2])
        let message = try #require(
            errorText {
                _ = try Tree.dictionary(["name": .string("Rex"), "friends": .array([])])
                    .decode(as: Dog.self)
            })
        #expect(message.hasPrefix("super: "))
    }

    // MARK: Mismatched types

    private func errorText(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as DecodingError {
            return error.explanation
        } catch let error as EncodingError {
            return error.explanation
        } catch {
            return "\(type(of: error))"
        }
    }

    @Test func numbersOutOfRangeAreErrors() {
        enum Refusal { case outOfRange, mismatch, other }
        func refusal<Value: Decodable>(_ tree: Tree, _ type: Value.Type) -> Refusal? {
            let result = Result { try tree.decode(as: type) }
            guard case .failure(let error) = result else { return nil }
            switch error as? DecodingError {
            case .dataCorrupted: return .outOfRange
            case .typeMismatch: return .mismatch
            default: return .other
            }
        }
        #expect(refusal(.integer(128), Int8.self) == .outOfRange)
        #expect(refusal(.integer(-1), UInt.self) == .outOfRange)
        #expect(refusal(.unsigned(.max), Int64.self) == .outOfRange)
        #expect(refusal(.integer(.max), Double.self) == .outOfRange)
        #expect(refusal(.double(1e300), Float.self) == .outOfRange)
        #expect(refusal(.double(3), Int.self) == .mismatch)
        #expect(refusal(.integer(1), Bool.self) == .mismatch)
        #expect(refusal(.string("1"), Int.self) == .mismatch)
        #expect(refusal(.integer(1 << 53), Double.self) == nil)
        #expect(refusal(.integer(7), UInt8.self) == nil)
    }

    @Test(arguments: [
        "", "x", "12abc", "1.", ".5", "1e", "--1", " 1", "1 ", "NaN", "1e999",
        "0.1234567890123456789012345678901234567890123",
    ])
    func textThatIsNotAnExactDecimalIsRefused(text: String) {
        #expect(throws: DecodingError.self) {
            try Tree.string(text).decode(as: Decimal.self)
        }
    }

    @Test func decimalsDecodeFromEveryKindOfNumber() throws {
        let third = try #require(Decimal(string: "3.133"))
        #expect(try Tree.double(3.133).decode(as: Decimal.self) == third)
        #expect(try Tree.integer(-7).decode(as: Decimal.self) == -7)
        #expect(try Tree.unsigned(.max).decode(as: Decimal.self) == Decimal(UInt64.max))
        #expect(try Tree.string("-1.50E+3").decode(as: Decimal.self) == -1500)
        #expect(try Tree.string("0").decode(as: Decimal.self) == 0)
        #expect(throws: DecodingError.self) {
            try Tree.double(.infinity).decode(as: Decimal.self)
        }
    }

    @Test func errorsNameThePlaceAndTheValue() {
        struct Person: Codable {
            var address: Address
            var site: URL?
        }
        func refused(_ members: [Name: Tree]) -> String? {
            errorText { _ = try Tree.dictionary(members).decode(as: Person.self) }
        }
        #expect(refused([:]) == "there is no \"address\"")
        #expect(
            refused(["address": .string("x")])
                == "address: it is of kind string, not dictionary")
        #expect(
            refused(["address": .dictionary(["street": .null, "numbers": .array([])])])
                == "address.street: expected String, but there is no value")
        let numbers: Tree = .array([.integer(1), .string("x")])
        #expect(
            refused(["address": .dictionary(["street": .string(""), "numbers": numbers])])
                == "address.numbers[1]: it is of kind string, not UInt8")
        let address: Tree = .dictionary(["street": .string(""), "numbers": .array([])])
        #expect(refused(["address": address, "site": .string("")]) == "site: \"\" is not a URL")
        #expect(refused(["address": address]) == nil)
    }

    @Test func elementThatFailsToDecodeCanBeDecodedAsAnotherType() throws {
        struct Either: Decodable {
            var values: [String] = []

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                while !list.isAtEnd {
                    if let number = try? list.decode(Int.self) {
                        values.append("number \(number)")
                    } else {
                        values.append(try list.decode(String.self))
                    }
                }
                #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            }
        }
        let tree = Tree.array([.integer(1), .string("a"), .integer(2)])
        #expect(try tree.decode(as: Either.self).values == ["number 1", "a", "number 2"])
    }

    // MARK: Containers

    private struct ByHand: Encodable {
        let body: @Sendable (any Encoder) throws -> Void

        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private enum Key: String, CodingKey { case a, b }

    @Test func containerCanBeContinuedAndMemberReplaced() throws {
        let tree = try Tree.encoding(
            ByHand { encoder in
                var first = encoder.container(keyedBy: Key.self)
                try first.encode([1], forKey: .a)
                var second = encoder.container(keyedBy: Key.self)
                try second.encode([2], forKey: .a)
                var inner = second.nestedUnkeyedContainer(forKey: .b)
                try inner.encode(1)
                var again = first.nestedUnkeyedContainer(forKey: .b)
                try again.encodeNil()
                #expect(again.count == 2)
                var last = again.superEncoder().singleValueContainer()
                try last.encode(true)
            })
        let expected: Tree = .dictionary([
            "a": .array([.integer(2)]),
            "b": .array([.integer(1), .null, .boolean(true)]),
        ])
        #expect(tree == expected)
    }

    @Test func containersOfTwoKindsAreAnError() {
        let message = errorText {
            _ = try Tree.encoding([
                ByHand { encoder in
                    var container = encoder.unkeyedContainer()
                    try container.encode(1)
                    _ = encoder.container(keyedBy: Key.self)
                }
            ])
        }
        #expect(message?.hasPrefix("[0]: ") == true)
        #expect(throws: EncodingError.self) {
            try Tree.encoding(
                ByHand { encoder in
                    var container = encoder.singleValueContainer()
                    try container.encode(1)
                    try container.encode(2)
                })
        }
    }

    @Test func emptyEncodingIsAnEmptyDictionary() throws {
        #expect(
            try Tree.encoding([ByHand { _ in }, ByHand { _ in }])
                == .array([.dictionary([:]), .dictionary([:])]))
    }

    // MARK: Depth

    private final class Chain: Codable {
        var next: Chain?
    }

    private func tree(depth: Int) -> Tree {
        var tree = Tree.dictionary([:])
        for _ in 1..<depth { tree = .dictionary(["next": tree]) }
        return tree
    }

    /// Stores decode on queues, whose threads have half a mebibyte of stack.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                body()
                continuation.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    @Test func deepestTreeRoundTripsOnASmallStack() async throws {
        let deepest = tree(depth: Tree.treeDepthLimit)
        await onSmallStack {
            do {
                let chain = try deepest.decode(as: Chain.self)
                #expect(try Tree.encoding(chain) == deepest)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test func tooDeepValuesAreRefusedWithoutStackOverflow() async throws {
        let deep = tree(depth: 2_000)
        await onSmallStack {
            #expect(throws: DecodingError.self) { try deep.decode(as: Chain.self) }
            let cycle = Chain()
            cycle.next = cycle
            #expect(throws: EncodingError.self) { try Tree.encoding(cycle) }
            cycle.next = nil
            #expect(throws: EncodingError.self) {
                try Tree.encoding(
                    ByHand { encoder in
                        var container = encoder.container(keyedBy: Key.self)
                        for _ in 0..<1_000 {
                            container = container.nestedContainer(
                                keyedBy: Key.self, forKey: .a)
                        }
                    })
            }
        }
    }
}

/// A tree of every kind, including null.
private enum Tree: TreeValue, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case array([Tree])
    case dictionary([Name: Tree])

    static let treeDepthLimit = 256

    init?(tree content: TreeContent<Self>) {
        switch content {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .unsigned(let value): self = .unsigned(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .instant(let value): self = .date(value.date)
        case .array(let value): self = .array(value)
        case .dictionary(let value): self = .dictionary(value)
        case .ownKind: return nil
        }
    }

    var treeContent: TreeContent<Self> {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .array(let value): .array(value)
        case .dictionary(let value): .dictionary(value)
        }
    }

    var treeKind: String { String("\(self)".prefix { $0 != "(" }) }

    var members: [Name: Tree]? { if case .dictionary(let value) = self { value } else { nil } }
}
