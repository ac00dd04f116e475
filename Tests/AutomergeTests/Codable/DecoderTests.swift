import Automerge
import Foundation
import Testing

/// Decoding values from documents.
@Suite struct DecoderTests {
    let doc: Document
    var decoder: AutomergeDecoder { AutomergeDecoder(doc: doc) }

    init() throws {
        doc = Document()
        try doc.put(obj: .ROOT, key: "name", value: .String("Joe"))
        try doc.put(obj: .ROOT, key: "count", value: .Int(5))
        try doc.put(obj: .ROOT, key: "big", value: .Uint(300))
        try doc.put(obj: .ROOT, key: "duration", value: .F64(3.5))
        try doc.put(obj: .ROOT, key: "votes counted", value: .Counter(342))
        try doc.put(obj: .ROOT, key: "none", value: .Null)
        let votes = try doc.putObject(obj: .ROOT, key: "votes", ty: .List)
        for vote in 3..<6 {
            try doc.insert(obj: votes, index: doc.length(obj: votes), value: .Int(Int64(vote)))
        }
        let notes = try doc.putObject(obj: .ROOT, key: "notes", ty: .Text)
        try doc.spliceText(obj: notes, start: 0, delete: 0, value: "Hello")
    }

    @Test func structsAreDecodedFromMaps() throws {
        struct Model: Codable { let name: String, votes: [Int], notes: AutomergeText, none: Int? }
        let model = try decoder.decode(Model.self)
        #expect(model.name == "Joe")
        #expect(model.votes == [3, 4, 5])
        #expect(model.notes.value == "Hello")
        #expect(model.notes.isBound)
        #expect(model.none == nil)
    }

    @Test func integersDecodeAsAnyTypeThatCanHoldThem() throws {
        struct Wide: Codable { let count: Double, big: Int16 }
        #expect(try decoder.decode(Wide.self).count == 5)
        #expect(try decoder.decode(Wide.self).big == 300)
        struct Narrow: Codable { let big: UInt8 }
        #expect(throws: DecodingError.self) { try decoder.decode(Narrow.self) }
    }

    @Test func otherTypesAreAMismatch() throws {
        struct Wrong: Codable { let name: Double }
        let error = #expect(throws: DecodingError.self) { try decoder.decode(Wrong.self) }
        guard case .typeMismatch(let type, let context) = try #require(error) else {
            Issue.record("no type mismatch")
            return
        }
        #expect(type is Double.Type)
        #expect(context.codingPath.map(\.stringValue) == ["name"])
        struct NoList: Codable { let name: [String] }
        let lookup = #expect(throws: CodingKeyLookupError.self) { try decoder.decode(NoList.self) }
        guard case .MismatchedSchema = try #require(lookup) else {
            Issue.record("no mismatched schema")
            return
        }
    }

    @Test func missingKeyIsNotFound() throws {
        struct Missing: Codable { let elsewhere: Int }
        #expect(throws: DecodingError.self) { try decoder.decode(Missing.self) }
    }

    @Test func pathSelectsTheDecodedValue() throws {
        #expect(try decoder.decode(Int.self, from: AnyCodingKey.parsePath("votes.[1]")) == 4)
        #expect(try decoder.decode(String.self, from: AnyCodingKey.parsePath("name")) == "Joe")
        #expect(try decoder.decode(String.self, from: AnyCodingKey.parsePath("notes")) == "Hello")
        #expect(try decoder.decode([Int].self, from: AnyCodingKey.parsePath("votes")) == [3, 4, 5])
        #expect(try decoder.decode(Int?.self, from: AnyCodingKey.parsePath("count")) == 5)
        #expect(try decoder.decode(Int?.self, from: AnyCodingKey.parsePath("missing")) == nil)
        let counter = try decoder.decode(Counter.self, from: [AnyCodingKey("votes counted")])
        #expect(counter == Counter(342))
    }

    @Test func datesAndBytesKeepTheirTypes() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        try doc.put(obj: .ROOT, key: "date", value: .Timestamp(date))
        try doc.put(obj: .ROOT, key: "data", value: .Bytes(Data([1, 2])))
        let read = try decoder.decode(Date.self, from: [AnyCodingKey("date")])
        #expect(abs(read.timeIntervalSince(date)) < 0.0005)
        #expect(try decoder.decode(Data.self, from: [AnyCodingKey("data")]) == Data([1, 2]))
        // Writing a value that was read is not a change.
        let heads = doc.heads()
        try doc.put(obj: .ROOT, key: "date", value: .Timestamp(read))
        #expect(doc.heads() == heads)
    }
}
