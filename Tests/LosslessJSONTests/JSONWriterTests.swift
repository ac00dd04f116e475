import LosslessJSON
import Testing

@Suite struct JSONWriterTests {
    private func write(_ writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("a")
            writer.array { writer in
                writer.integer(1)
                writer.real(1)
                writer.array { _ in }
                writer.object { _ in }
            }
            writer.key("b")
            writer.form("$data", "AA==")
            writer.key("c")
            writer.null()
        }
    }

    @Test func textOfAValueKeepsItsSpelling() throws {
        let text = #"{"b":1.0,"a":[1e5,-0,null,true,"x"],"b":{}}"#
        #expect(try JSONParser.parse(Array(text.utf8)).text == text)
    }

    @Test func taggedValueStaysOnOneLine() {
        var writer = JSONWriter(.indented)
        let date = JSON.tagged(.date, .string("2026-11-21"))
        writer.json(.array([date, .tagged(.dictionary, .object([]))]))
        #expect(
            writer.text == """
                [
                  {"$date": "2026-11-21"},
                  {
                    "\(JSONTag.dictionary.rawValue)": {}
                  }
                ]
                """)
    }

    @Test func compactAndIndentedFormsDifferOnlyInWhitespace() throws {
        var compact = JSONWriter()
        write(&compact)
        #expect(compact.text == #"{"a":[1,1.0,[],{}],"b":{"$data":"AA=="},"c":null}"#)
        var indented = JSONWriter(.indented)
        write(&indented)
        #expect(
            indented.text == """
                {
                  "a": [
                    1,
                    1.0,
                    [],
                    {}
                  ],
                  "b": {"$data": "AA=="},
                  "c": null
                }
                """)
        #expect(
            try JSONParser.parse(compact.bytes) == (try JSONParser.parse(indented.bytes)))
    }

    @Test func controlCharactersAreEscaped() throws {
        let text = String(String.UnicodeScalarView((0..<0x200).compactMap(Unicode.Scalar.init)))
        let quoted = JSONWriter.quoted(text)
        #expect(quoted.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) })
        #expect(try JSONParser.parse(Array(quoted.utf8)) == .string(text))
    }

    @Test func bidirectionalMarksAreEscaped() throws {
        let marks: [ClosedRange<UInt32>] = [
            0x061C...0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
        ]
        // Characters with similar bytes are kept, including joiners.
        let all = Array(0x0600...0x0640 as ClosedRange<UInt32>) + Array(0x1FF0...0x2080)
        let text = String(String.UnicodeScalarView(all.compactMap { Unicode.Scalar($0) }))
        let quoted = JSONWriter.quoted(text)
        let written = Set(quoted.unicodeScalars.map(\.value))
        for value in all {
            #expect(written.contains(value) == !marks.contains { $0 ~= value }, "\(value)")
        }
        #expect(try JSONParser.parse(Array(quoted.utf8)) == .string(text))
    }

    @Test(arguments: [
        (Double.nan, #"{"$real":"nan"}"#), (.infinity, #"{"$real":"inf"}"#),
        (-.infinity, #"{"$real":"-inf"}"#), (-0.0, "-0.0"), (1e300, "1e+300"), (0.1, "0.1"),
    ])
    func realsStayReals(_ number: Double, _ text: String) {
        var writer = JSONWriter()
        writer.real(number)
        #expect(writer.text == text)
    }
}
