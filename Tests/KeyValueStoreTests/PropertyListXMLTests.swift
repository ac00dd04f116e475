import Foundation
import KeyValueStore
import Replication
import Testing

@Suite struct PropertyListXMLTests {
    @Test func readsWhatFoundationWrites() throws {
        let original: [String: Any] = [
            "text": "a <b> & \"c\" é\u{1F600}", "list": [1, -5, 70_000], "flag": true, "no": false,
            "real": 2.5, "data": Data([1, 2, 3]),
            "date": Date(timeIntervalSinceReferenceDate: 12), "empty": [Any](),
            "none": [String: Any](),
        ]
        let xml = try PropertyListSerialization.data(
            fromPropertyList: original, format: .xml, options: 0)
        #expect(
            try PropertyList(propertyListFile: xml) == [
                "text": "a <b> & \"c\" é\u{1F600}", "list": [1, -5, 70_000], "flag": true,
                "no": false, "real": 2.5, "data": .data(Data([1, 2, 3])),
                "date": .date(Date(timeIntervalSinceReferenceDate: 12)), "empty": [], "none": [:],
            ])
    }

    @Test func kindsStayDistinct() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- made by hand -->
            <plist version="1.0"><array>
                <integer>1</integer><real>1</real><true/><string>1</string>
                <integer>18446744073709551615</integer><integer>-0x10</integer><real>nan</real>
                <string/><string><![CDATA[<raw>&]]>&#65;&#x42;&amp;</string>
            </array></plist>
            """
        #expect(
            try PropertyList(propertyListFile: Data(xml.utf8)) == [
                1, 1.0, true, "1", .unsigned(.max), -16, .real(.nan), "", "<raw>&AB&",
            ])
    }

    @Test func binaryListsAreRead() throws {
        let value: PropertyList = ["a": [1, 2.0]]
        #expect(try PropertyList(propertyListFile: value.binary()) == value)
    }

    @Test(arguments: [
        "", "<plist>", "<plist></plist>", "<plist><string>a</plist>",
        "<plist><integer>x</integer></plist>",
        "<plist><dict><key>a</key></dict></plist>",
        "<plist><dict><string>a</string></dict></plist>",
        "<plist><true>x</true></plist>", "<plist><date>soon</date></plist>",
        "<plist><string>&unknown;</string></plist>", "<plist><string>&#xD800;</string></plist>",
        "<plist><data>?</data></plist>", "<plist><string>a</string></plist>x", "<html/>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
        "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
    ])
    func otherTextIsAnError(_ text: String) {
        #expect(throws: PropertyListError.self) {
            try PropertyList(propertyListFile: Data(text.utf8))
        }
    }

    @Test func deepNestingIsAnError() {
        let text = String(repeating: "<array>", count: 500_000)
        #expect(throws: PropertyListError.self) {
            try PropertyList(propertyListFile: Data("<plist>\(text)".utf8))
        }
    }
}
