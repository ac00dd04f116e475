import Automerge
import AutomergeUtilities
import Testing

/// Keys and texts are compared as bytes: canonically equal ones with different bytes are different.
@Suite struct NamesAsBytesTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Test func canonicallyEqualScalarsAreDifferent() throws {
        try #require(Self.composed == Self.decomposed)
        #expect(ScalarValue.String(Self.composed) != .String(Self.decomposed))
        #expect(ScalarValue.String(Self.composed) == .String(Self.composed))
        #expect(Value.Scalar(.String(Self.composed)) != .Scalar(.String(Self.decomposed)))
    }

    @Test func documentsThatDifferOnlyInBytesAreNotEquivalent() throws {
        func document(_ key: String, _ value: String, text: String) throws -> Document {
            let document = Document()
            try document.put(obj: .ROOT, key: key, value: .String(value))
            let object = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
            try document.spliceText(obj: object, start: 0, delete: 0, value: text)
            return document
        }
        let sample = try document(Self.composed, Self.composed, text: Self.composed)
        #expect(
            try sample.equivalentContents(
                document(Self.composed, Self.composed, text: Self.composed)))
        for other in [
            try document(Self.decomposed, Self.composed, text: Self.composed),
            try document(Self.composed, Self.decomposed, text: Self.composed),
            try document(Self.composed, Self.composed, text: Self.decomposed),
        ] {
            #expect(!sample.equivalentContents(other))
        }
    }

    @Test func encodingReplacesACanonicallyEqualKey() throws {
        let document = Document()
        let map = try document.putObject(obj: .ROOT, key: "map", ty: .Map)
        try document.put(obj: map, key: Self.decomposed, value: .Int(1))
        try AutomergeEncoder(doc: document).encode(["map": [Self.composed: 2]])
        #expect(document.keys(obj: map).map { Array($0.utf8) } == [Array(Self.composed.utf8)])
    }
}
