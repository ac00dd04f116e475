import Replication
import Testing

@testable import TidelineCore

/// A row with two texts and a few fields.
private struct Sample: FilterSubject {
    var texts = ["note/1/title", "Groceries for Sunday"]
    var fields = ["key": "note/1/title", "device": "ipad", "conflict": "yes"]
    var numbers = ["size": FilterNumber(4096.0), "age": FilterNumber(30.0)]

    func contains(where test: (String) -> Bool) -> Bool { texts.contains(where: test) }
    func texts(of field: String) -> [String] { [fields[field]].compactMap(\.self) }
    func numbers(of field: String) -> [FilterNumber] { [numbers[field]].compactMap(\.self) }
}

private let fields = [
    FilterField("key", example: ""), FilterField("device", .name, example: ""),
    FilterField("conflict", .choice(FilterField.yesNo), example: ""),
    FilterField("value", .value, example: ""), FilterField("size", .size, example: ""),
    FilterField("age", .age, example: ""),
]

private func passes(_ text: String) throws -> Bool {
    try Filter(text, fields: fields).passes(Sample())
}

@Suite struct FilterTests {
    struct Case: Sendable {
        let text: String
        let passes: Bool
    }

    @Test(arguments: [
        Case(text: "", passes: true),
        Case(text: "groc", passes: true),
        Case(text: "Groc", passes: true),
        Case(text: "GROC", passes: false),
        Case(text: "groc sunday", passes: true),
        Case(text: "groc monday", passes: false),
        Case(text: "monday | sunday", passes: true),
        Case(text: "groc monday | sunday", passes: true),
        Case(text: "-monday", passes: true),
        Case(text: "-sunday", passes: false),
        Case(text: "(monday | sunday) -groc", passes: false),
        Case(text: "\"for Sunday\"", passes: true),
        Case(text: "g*day", passes: true),
        Case(text: "key:note/*", passes: true),
        Case(text: "key:note", passes: false),
        Case(text: "key:*/1/*", passes: true),
        Case(text: "key:note/*/note/*", passes: false),
        Case(text: "device:ipad conflict:yes", passes: true),
        Case(text: "value:x", passes: false),
        Case(text: "key~/^note.[0-9]/", passes: true),
        Case(text: "key~^x", passes: false),
        Case(text: "age<1m", passes: true),
        Case(text: "age<1y", passes: true),
        Case(text: "age<20s", passes: false),
        Case(text: "size>3k size<5k", passes: true),
        Case(text: "groc |", passes: true),
        Case(text: "KEY:note/*", passes: true),
        Case(text: "key~/^NOTE/i", passes: true),
        Case(text: "key~/^NOTE/", passes: false),
        Case(text: "device:pa", passes: true),
        Case(text: "device=pa", passes: false),
        Case(text: "device=ipad", passes: true),
        Case(text: "size>=4k size<=4096", passes: true),
        Case(text: "size=4,096", passes: true),
        Case(text: "size>1,234,567", passes: false),
        Case(text: "\"agee<10m\"", passes: false),
    ])
    func termsOfAFilterCombineAsDocumented(_ sample: Case) throws {
        #expect(try passes(sample.text) == sample.passes)
    }

    @Test func integersAreComparedExactly() throws {
        func passes(_ text: String, _ number: FilterNumber) throws -> Bool {
            try Filter(text, fields: fields).passes(Sample(numbers: ["value": number]))
        }
        let odd = FilterNumber(integer: 9_007_199_254_740_993)
        #expect(try passes("value>9007199254740992", odd))
        #expect(try passes("value<9007199254740994", odd))
        #expect(try passes("value<=9007199254740993", odd))
        #expect(try !passes("value<=9007199254740992", odd))
        #expect(try passes("value>9007199254740992.5", odd))
        let largest = FilterNumber(integer: Int128(UInt64.max))
        #expect(try passes("value>18446744073709551614", largest))
        #expect(try !passes("value>18446744073709551615", largest))
        #expect(try passes("value<18446744073709551616", largest))
        let real = FilterNumber(0x1p53)
        #expect(try passes("value<9007199254740993", real))
        #expect(try passes("value>=9007199254740992", real))
        #expect(try passes("value<0.75 value>-1", FilterNumber(0.5)))
        #expect(try passes("value>9007199254740993", FilterNumber(Double.infinity)))
        #expect(try !passes("value<=1 | value>=1", FilterNumber(Double.nan)))
    }

    struct Wrong: Sendable {
        let text: String
        let range: Range<Int>
    }

    @Test(arguments: [
        Wrong(text: "color:red", range: 0..<5),
        Wrong(text: "a (b", range: 2..<3),
        Wrong(text: "a ) b", range: 2..<3),
        Wrong(text: "\"open", range: 0..<5),
        Wrong(text: "age<soon", range: 4..<8),
        Wrong(text: "key~/(/", range: 4..<7),
        Wrong(text: "key~/a", range: 4..<6),
        Wrong(text: "agee<10m", range: 0..<4),
        Wrong(text: "conflict:maybe", range: 9..<14),
        Wrong(text: "key~/a/x", range: 7..<8),
        Wrong(text: "key<3", range: 3..<5),
        Wrong(text: "age:10m", range: 3..<7),
        Wrong(text: "size>nan", range: 5..<8),
        Wrong(text: "key:", range: 0..<4),
        Wrong(text: "a -", range: 2..<3),
    ])
    func errorHasTheRangeOfTheInvalidTerm(_ sample: Wrong) {
        let error = #expect(throws: FilterError.self) {
            try Filter(sample.text, fields: fields)
        }
        #expect(error?.range == sample.range)
    }

    @Test func deepNestingIsRejected() {
        let text = String(repeating: "(", count: 100_000)
        #expect(throws: FilterError.self) { try Filter(text, fields: fields) }
        let negations = String(repeating: "-", count: 100_000) + "a"
        #expect(throws: FilterError.self) { try Filter(negations, fields: fields) }
    }

    @Test(arguments: ["kyoto", "Kyoto", "kyōto", "KYŌTO", "k*to"])
    func filtersIgnoreAccents(_ text: String) {
        let isLoud = text.hasPrefix("KY")
        for name in ["Kyōto", "Kyo\u{304}to", "Kyoto"] {
            #expect(Pattern(text).matches(name) == !isLoud)
            #expect(Pattern(text).isFound(in: "\(name), Japan") == !isLoud)
        }
        #expect(!Pattern("kyoto").isFound(in: "Tōkyō"))
    }
}
