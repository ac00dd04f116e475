import Foundation
import Replication
import Testing

@testable import TidelineCore

@Suite struct JSONValueTests {
    @Test func membersAreSortedByBytes() {
        let value: JSONValue = ["b": 1, "a": [true, nil], "B": "x", "ä": 2]
        #expect(value.line == #"{"B":"x","a":[true,null],"b":1,"ä":2}"#)
    }

    @Test func numbersKeepTheirKind() {
        #expect(JSONValue.real(1).line == "1.0")
        #expect(JSONValue.integer(1).line == "1")
        #expect(JSONValue.integer(.min).line == "-9223372036854775808")
        #expect(JSONValue.unsigned(.max).line == "18446744073709551615")
        #expect(JSONValue.real(.nan).line == #"{"$real":"nan"}"#)
        #expect(JSONValue.real(-.infinity).line == #"{"$real":"-inf"}"#)
    }

    @Test func controlCharactersAreEscaped() throws {
        let hostile = String(String.UnicodeScalarView((0...0x9F).compactMap(Unicode.Scalar.init)))
        let line = JSONValue.string(hostile).line
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) })
        let back = try JSONDecoder().decode([String].self, from: Data("[\(line)]".utf8))
        #expect(back == [hostile])
    }

    @Test func indentedFormHasTheSameValue() {
        let value: JSONValue = ["list": [1, 2], "empty": [], "none": [:]]
        #expect(
            value.indented == """
                {
                  "empty": [],
                  "list": [
                    1,
                    2
                  ],
                  "none": {}
                }
                """)
    }
}
