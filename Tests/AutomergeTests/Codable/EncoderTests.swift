import Automerge
import AutomergeUtilities
import Foundation
import Testing

/// Encoding values into documents.
@Suite struct EncoderTests {
    struct Sample: Codable, Equatable {
        var name = "henry"
        var duration = 3.14159
        var flag = true
        var count = 5
        var date = Date(timeIntervalSince1970: -905_182_980)
        var data = Data("hello".utf8)
        var uuid = UUID(uuidString: "99CEBB16-1062-4F21-8837-CF18EC09DCD7") ?? UUID()
        var url = URL(string: "http://url.com")
        var absent: Int?
        var notes = AutomergeText("Something")
    }

    struct Nested: Codable, Equatable {
        var list: [Sample]
        var table: [String: [Int]]
    }

    let doc = Document()
    var encoder: AutomergeEncoder { AutomergeEncoder(doc: doc) }

    private func value(_ key: String) throws -> Value? { try doc.get(obj: .ROOT, key: key) }

    @Test func structsAreEncodedAsMaps() throws {
        try encoder.encode(Sample())
        #expect(try value("name") == .Scalar(.String("henry")))
        #expect(try value("duration") == .Scalar(.F64(3.14159)))
        #expect(try value("flag") == .Scalar(.Boolean(true)))
        #expect(try value("count") == .Scalar(.Int(5)))
        #expect(
            try value("date") == .Scalar(.Timestamp(Date(timeIntervalSince1970: -905_182_980))))
        #expect(try value("data") == .Scalar(.Bytes(Data("hello".utf8))))
        #expect(try value("uuid") == .Scalar(.String("99CEBB16-1062-4F21-8837-CF18EC09DCD7")))
        #expect(try value("url") == .Scalar(.String("http://url.com")))
        #expect(try value("absent") == nil)
        let notes = try #require(try doc.lookupPath(path: "notes"))
        #expect(doc.objectType(obj: notes) == .Text)
        #expect(try doc.text(obj: notes) == "Something")
    }

    @Test func arraysAndDictionariesAreEncodedAsListsAndMaps() throws {
        let sample = Nested(
            list: [Sample(), Sample(name: "jules")], table: ["5": [1, 2], "": []])
        try encoder.encode(sample)
        let jules = try #require(try doc.lookupPath(path: "list.[1]"))
        #expect(try doc.get(obj: jules, key: "name") == .Scalar(.String("jules")))
        // A numeric key stays a key.
        #expect(try AutomergeDecoder(doc: doc).decode(Nested.self) == sample)
    }

    @Test func encodingAgainDeletesMissingMembers() throws {
        struct Model: Codable, Equatable { var names: [String], table: [String: Int] }
        try encoder.encode(Model(names: ["one", "two", "three"], table: ["a": 1, "b": 2]))
        let shorter = Model(names: ["one"], table: ["b": 3])
        try encoder.encode(shorter)
        #expect(try AutomergeDecoder(doc: doc).decode(Model.self) == shorter)
        let names = try #require(try doc.lookupPath(path: "names"))
        #expect(doc.length(obj: names) == 1)
    }

    @Test func encodingAnEqualValueChangesNothing() throws {
        struct Model: Codable { var list: [Int], name: String, date: Date }
        let model = Model(list: [1, 2], name: "x", date: Date(timeIntervalSince1970: 1))
        try encoder.encode(model)
        let heads = doc.heads()
        try encoder.encode(model)
        #expect(doc.heads() == heads)
    }

    @Test func elementsKeepTheirObjects() throws {
        struct Model: Codable { var list: [Sample] }
        try encoder.encode(Model(list: [Sample()]))
        let before = try doc.lookupPath(path: "list.[0]")
        try encoder.encode(Model(list: [Sample(name: "other")]))
        #expect(try doc.lookupPath(path: "list.[0]") == before)
    }

    @Test func nilIsOmittedOrNull() throws {
        struct Model: Codable {
            var left: Int?
            var list: [Int?]
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(left, forKey: .left)
                try container.encode(list, forKey: .list)
            }
        }
        try encoder.encode(Model(left: nil, list: [nil, 2]))
        #expect(try value("left") == .Scalar(.Null))
        let list = try #require(try doc.lookupPath(path: "list"))
        #expect(try doc.values(obj: list) == [.Scalar(.Null), .Scalar(.Int(2))])
    }

    @Test func nilWritesNothing() throws {
        let nothing: Sample? = nil
        try encoder.encode(nothing)
        #expect(try doc.isEmpty())
    }

    @Test func pathSelectsTheEncodedValue() throws {
        let path = [AnyCodingKey("example"), AnyCodingKey(0)]
        try encoder.encode(Sample(), at: path)
        let object = try #require(try doc.lookupPath(path: ".example.[0]"))
        #expect(try doc.get(obj: object, key: "count") == .Scalar(.Int(5)))
        try encoder.encode(7, at: [AnyCodingKey("example"), AnyCodingKey(1)])
        try encoder.encode(Date(timeIntervalSince1970: 3), at: [AnyCodingKey("when")])
        #expect(try value("when") == .Scalar(.Timestamp(Date(timeIntervalSince1970: 3))))
        let list = try #require(try doc.lookupPath(path: "example"))
        #expect(try doc.get(obj: list, index: 1) == .Scalar(.Int(7)))
    }

    @Test func nonFiniteNumbersAreRefused() throws {
        for number in [Double.nan, .infinity] {
            #expect(throws: EncodingError.self) { try encoder.encode(["a": number]) }
            #expect(throws: EncodingError.self) { try encoder.encode(["a": [Float(number)]]) }
        }
    }

    @Test func readonlyStrategyCreatesNoObjects() throws {
        let readonly = AutomergeEncoder(doc: doc, strategy: .readonly)
        #expect(throws: CodingKeyLookupError.self) { try readonly.encode(["list": [1]]) }
        #expect(try doc.isEmpty())
        try encoder.encode(["list": [1]])
        try readonly.encode(["list": [2]])
        let list = try #require(try doc.lookupPath(path: "list"))
        #expect(try doc.values(obj: list) == [.Scalar(.Int(2))])
    }

    @Test func encodingAnotherTypeIsAnErrorUnlessOverridden() throws {
        struct Plain: Codable { var notes: String }
        struct Rich: Codable { var notes: AutomergeText }
        struct Deep: Codable { var notes: [String: Int] }
        try encoder.encode(Plain(notes: "Hello"))
        #expect(throws: CodingKeyLookupError.self) {
            try encoder.encode(Rich(notes: AutomergeText("Hello")))
        }
        #expect(throws: CodingKeyLookupError.self) { try encoder.encode(Deep(notes: ["a": 1])) }
        let override = AutomergeEncoder(doc: doc, strategy: .override)
        try override.encode(Deep(notes: ["a": 1]))
        #expect(try doc.lookupPath(path: "notes") != nil)
        try override.encode(Rich(notes: AutomergeText("Hello")))
        let notes = try #require(try doc.lookupPath(path: "notes"))
        #expect(try doc.text(obj: notes) == "Hello")
    }

    @Test func cautiousWritesKeepTheScalarType() throws {
        try encoder.encode(["a": 1.5])
        let cautious = AutomergeEncoder(doc: doc, cautiousWrite: true)
        #expect(throws: EncodingError.self) { try cautious.encode(["a": "text"]) }
        #expect(throws: EncodingError.self) { try cautious.encode(["a": Counter(3)]) }
        try cautious.encode(["a": 2.5])
        #expect(try value("a") == .Scalar(.F64(2.5)))
        try encoder.encode(["a": "text"])
        #expect(try value("a") == .Scalar(.String("text")))
    }

    @Test func listIsNotARootValue() throws {
        #expect(throws: CodingKeyLookupError.self) { try encoder.encode([1, 2]) }
        #expect(throws: CodingKeyLookupError.self) { try encoder.encode(5) }
    }

    @Test func nestedContainersWriteInPlace() throws {
        struct Place: Encodable {
            enum Keys: String, CodingKey { case name, more, list }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("here", forKey: .name)
                var more = container.nestedContainer(keyedBy: Keys.self, forKey: .more)
                try more.encode(1, forKey: .name)
                var list = container.nestedUnkeyedContainer(forKey: .list)
                try list.encode(2)
                var inner = list.nestedUnkeyedContainer()
                try inner.encode(3)
            }
        }
        try encoder.encode(Place())
        #expect(
            try doc.schema()
                == .dict([
                    "name": .scalar("here"), "more": .dict(["name": .scalar(1)]),
                    "list": .array([.scalar(2), .array([.scalar(3)])]),
                ]))
    }
}
