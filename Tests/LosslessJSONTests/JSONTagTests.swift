import LosslessJSON
import Testing

@Suite struct JSONTagTests {
    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func numbersThatAreNotFiniteAreReadBack(number: Double) throws {
        var writer = JSONWriter()
        writer.real(number)
        let tagged = try #require(try JSONParser.parse(writer.bytes).tagged)
        #expect(tagged.tag == .real)
        guard case .string(let text) = tagged.content else {
            Issue.record("the content is \(tagged.content)")
            return
        }
        #expect(JSONTag.number(for: text)?.bitPattern == number.bitPattern)
    }

    @Test func everyBitOfANaNIsPreservedOnRequest() {
        let number = Double(bitPattern: 0xFFF8_0000_0000_1234)
        #expect(JSONTag.text(for: number) == "nan")
        let text = JSONTag.exactText(for: number)
        #expect(JSONTag.number(for: text)?.bitPattern == number.bitPattern)
        #expect(JSONTag.exactText(for: .nan) == "nan")
    }

    @Test(arguments: ["", "NaN", "1.0", "nan:", "nan:xyz", "nan:3ff0000000000000", "+inf"])
    func otherTextsAreNotNumbers(text: String) {
        #expect(JSONTag.number(for: text) == nil)
    }

    @Test(arguments: [
        #"{"$data":"AAE=","x":1}"#, #"{"$unknown":"x"}"#, #"["$data"]"#, "{}", #""$data""#,
    ])
    func otherValuesAreNotTagged(text: String) throws {
        #expect(try JSONParser.parse(Array(text.utf8)).tagged == nil)
    }
}
