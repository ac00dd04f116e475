import LosslessJSON
import Testing

/// JSON strings are compared as bytes, so canonically equivalent ones are distinct.
@Suite struct JSONEqualityTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

    @Test func canonicallyEquivalentTextsAreDistinct() throws {
        try #require(Self.composed == Self.decomposed)
        #expect(JSON.string(Self.composed) != .string(Self.decomposed))
        #expect(JSON.string(Self.composed) == .string(Self.composed))
        #expect(JSON.array([.string(Self.composed)]) != .array([.string(Self.decomposed)]))
        #expect(Set([JSON.string(Self.composed), .string(Self.decomposed)]).count == 2)
    }

    @Test func membersAreFoundByTheBytesOfTheirNames() {
        let object = JSON.object([
            .init(name: Self.composed, value: .number("1")),
            .init(name: Self.decomposed, value: .number("2")),
        ])
        #expect(object[Self.composed] == .number("1"))
        #expect(object[Self.decomposed] == .number("2"))
        #expect(object != .object([.init(name: Self.composed, value: .number("1"))]))
        #expect(
            JSON.object([.init(name: Self.composed, value: .null)])
                != .object([.init(name: Self.decomposed, value: .null)]))
    }
}
