import Foundation
import KeyValueStore
import Replication
import Tables
import TestSupport
import Testing

/// Recognition of the content of cells.
@Suite struct BlobContentTests {
    struct Case: Sendable, CustomStringConvertible {
        let bytes: [UInt8]
        let title: String
        var description: String { title }
    }

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64) ?? Data())
    }

    static let cases = [
        Case(bytes: [], title: "empty"),
        Case(
            bytes: [
                0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
                0, 0, 2, 0x80, 0, 0, 1, 0xE0,
            ],
            title: "PNG 640×480"),
        Case(bytes: Array("GIF89a".utf8) + [16, 0, 32, 0], title: "GIF 16×32"),
        Case(
            bytes: [
                0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, 100, 0, 200, 1, 1,
                0x11, 0,
            ],
            title: "JPEG 200×100"),
        Case(
            bytes: Array("RIFF".utf8) + [30, 0, 0, 0] + Array("WEBPVP8X".utf8) + [
                10, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0,
            ],
            title: "WebP 100×50"),
        Case(
            bytes: [0, 0, 0, 16] + Array("ftypheic".utf8) + [0, 0, 0, 0, 0, 0, 0, 20]
                + Array("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0x0F, 0xC0, 0, 0, 0x0B, 0xD0]
                + Array(repeating: 0, count: 20),
            title: "HEIC 4032×3024"),
        Case(bytes: [0x85, 0x6F, 0x4A, 0x83, 1, 2, 3, 4, 0], title: "Automerge"),
        Case(bytes: Array("BZh91AY".utf8), title: "bzip2"),
        Case(bytes: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0], title: "xz"),
        Case(bytes: [0x28, 0xB5, 0x2F, 0xFD, 0], title: "zstd"),
        Case(bytes: Array("bvx2".utf8) + [0], title: "LZFSE"),
        Case(bytes: [4, 0x22, 0x4D, 0x18, 0x60], title: "LZ4"),
        // zlib and gzip of "hello hello hello hello".
        Case(bytes: bytes("eJzLSM3JyVfIQCcBaAMIsQ=="), title: "zlib"),
        Case(bytes: Array("{\"a\": [1, null]}".utf8), title: "JSON"),
        Case(bytes: Array("plain text".utf8), title: "text"),
        Case(bytes: [8, 0x96, 1, 0x12, 7] + Array("testing".utf8), title: "Protobuf"),
        Case(bytes: [0, 1, 2, 3, 0xFF], title: "bytes"),
        Case(bytes: Array("%PDF-1.7".utf8), title: "PDF"),
    ]

    @Test func sixteenBytesAreAUUIDOnlyInAUUIDColumn() {
        let likely = Data([
            0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x41, 0xD1, 0x80, 0xB4, 0, 0xC0, 0x4F, 0xD4, 0x30,
            0xC8,
        ])
        let unlikely = Data(0..<16)
        func titles(_ name: String, _ type: String = "BLOB") -> [String] {
            let hint = BlobContent.UUIDHint(columnNamed: name, declaredType: type)
            return [likely, unlikely].map { BlobContent($0, uuid: hint).title }
        }
        #expect(titles("iv") == ["bytes", "bytes"])
        #expect(titles("grid") == ["bytes", "bytes"])
        #expect(titles("parent_id") == ["UUID", "bytes"])
        #expect(titles("personID") == ["UUID", "bytes"])
        #expect(titles("uuid") == ["UUID", "UUID"])
        #expect(titles("key", "GUID") == ["UUID", "UUID"])
        #expect(BlobContent(likely).title == "bytes")
    }

    @Test(arguments: cases) func eachKindIsRecognizedByItsBytes(_ known: Case) {
        let content = BlobContent(Data(known.bytes))
        #expect(content.title == known.title)
        #expect(!content.summary.isEmpty)
    }

    @Test func compressedDataIsInflated() throws {
        let content = BlobContent(Data(Self.bytes("eJzLSM3JyVfIQCcBaAMIsQ==")))
        #expect(content.summary.contains("hello hello"))
    }

    @Test func keyedArchiveUnfoldsToItsObjects() throws {
        func uid(_ number: Int64) -> PropertyList { ["CF$UID": .integer(number)] }
        let archive: PropertyList = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": uid(1)],
            "$objects": [
                "$null",
                ["$class": uid(2), "name": uid(3), "friends": uid(4), "none": uid(0), "age": 7],
                ["$classname": "Person", "$classes": ["Person", "NSObject"]], "Ann",
                ["$class": uid(5), "NS.objects": [uid(3), uid(1), uid(6)]],
                ["$classname": "NSArray", "$classes": ["NSArray"]],
                ["$class": uid(7), "NS.time": 0.0],
                ["$classname": "NSDate", "$classes": ["NSDate"]],
            ],
        ]
        // XML, in which the numbers of objects are dictionaries.
        let content = BlobContent(try archive.binary())
        guard case .archive(let list) = content.kind, case .dictionary(let person) = list else {
            Issue.record("not an archive: \(content.kind)")
            return
        }
        #expect(person["name"] == "Ann" && person["age"] == 7 && person["$class"] == "Person")
        #expect(person["none"] == nil)
        guard case .array(let friends)? = person["friends"] else { return }
        #expect(friends.count == 3 && friends[0] == "Ann")
        #expect(friends[2] == .date(Date(timeIntervalSinceReferenceDate: 0)))
    }

    @Test func randomBytesAreNotMistakenForAFormat() {
        var random = SeededRandom(seed: 77)
        for _ in 0..<3000 {
            let count = Int.random(in: 0..<200, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if let known = Self.cases.randomElement(using: &random), Bool.random(using: &random) {
                bytes = known.bytes
                if !bytes.isEmpty { bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 0x55 }
            }
            let content = BlobContent(Data(bytes))
            #expect(content.byteCount == bytes.count)
            _ = content.summary
            _ = content.structure
        }
    }

    @Test(arguments: [
        (Epoch.microseconds2001, 781_692_800_000_000), (.unixSeconds, 1_760_000_000.0),
        (.unixMilliseconds, 1_760_000_000_000),
        (.unixMicroseconds, 1_760_000_000_000_000), (.seconds2001, 781_692_800),
        (.unixNanoseconds, 1_760_000_000_000_000_000), (.nanoseconds2001, 781_692_800_000_000_000),
        (.julianDay, 2_460_957.87), (.microseconds1601, 13_404_473_600_000_000),
    ])
    func epochIsGuessedFromTheRangeOfValues(_ epoch: Epoch, _ number: Double) throws {
        let sample = try SampleDatabase("CREATE TABLE t (visited, n, at, Ts)")
        let columns =
            try TableFile(sample.path).read { try DatabaseTables($0) }.0.table("t")?.columns ?? []
        let values = [TableValue.real(number), .null, .integer(0), .real(0)]
        #expect(
            columns.map { Epoch.guess(column: $0.schema, values: values) } == [
                epoch, nil, epoch, epoch,
            ])
        let date = try #require(epoch.date(number))
        #expect(abs(date.timeIntervalSince1970 - 1_760_000_000) < 2000)
        #expect(
            epoch.date(epoch.value(date)).map { abs($0.timeIntervalSince(date)) < 0.001 } == true)
    }
}
