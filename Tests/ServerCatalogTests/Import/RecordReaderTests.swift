import Foundation
import TestSupport
import Testing

@testable import ServerCatalog

@Suite struct RecordReaderTests {
    private func records(_ text: String, pieceByteCount: Int = 7) throws -> [String] {
        var rest = Data(text.utf8)
        var reader = RecordReader(
            ByteStream {
                defer { rest = Data(rest.dropFirst(pieceByteCount)) }
                return Data(rest.prefix(pieceByteCount))
            })
        var records: [String] = []
        while let record = try reader.next() {
            switch record {
            case .bytes(let bytes): records.append(String(decoding: bytes, as: UTF8.self))
            case .tooLarge: records.append("too large")
            }
        }
        return records
    }

    @Test(arguments: 1...9)
    func elementsAreSplit(_ pieceByteCount: Int) throws {
        let text = """
            \u{FEFF}{ "Code": 1000, "x": {"LogicalServers": [0]}, "LogicalServers" : [
                {"a": "]},{\\"", "b": [1, {}]}, 12 , "s", [ ], tru,
            ] , "after": [[]], }
            """
        #expect(
            try records(text, pieceByteCount: pieceByteCount)
                == [#"{"a": "]},{\"", "b": [1, {}]}"#, "12", "\"s\"", "[ ]", "tru"])
    }

    @Test(arguments: [
        "", "[]", "{", "{}", "{\"LogicalServers\": []", "{\"LogicalServers\": [}", "null",
        "{\"LogicalServers\": [{]}", "{\"LogicalServers\": [{}", "{\"LogicalServers\": {}}",
        "{\"LogicalServers\": [{}{}]}", "{\"LogicalServers\": [{},,{}]}",
        "{\"LogicalServers\": [{}]} x", "{\"LogicalServers\": null}", "{\"other\": []}",
        "{\"LogicalServers\" []}", "{\"a\": 1 \"LogicalServers\": []}", "\u{FEFF}",
        "{\"LogicalServers\": [\(String(repeating: "[", count: 10_000))", "<html>",
    ])
    func invalidFileIsRejected(_ text: String) {
        #expect {
            try records(text)
        } throws: {
            ($0 as? ServerCatalogError)?.code == .badFile
        }
    }

    @Test func hugeRecordIsNotBuffered() throws {
        let huge = String(repeating: "x", count: RecordReader.largestByteCount)
        #expect(
            try records("{\"LogicalServers\": [1, \"\(huge)\", 2]}", pieceByteCount: 65_536)
                == ["1", "too large", "2"])
    }

    /// Reading a damaged file always ends, either with records or with an error.
    @Test func damagedFileNeverTraps() throws {
        let file = Array(LogicalsWriter.logicals(SampleServers(count: 5).servers()))
        for seed in seeds(300) {
            var random = SeededRandom(seed: seed)
            var bytes = file
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes[0], at: index)
                }
            }
            if Bool.random(using: &random) { bytes.removeLast(bytes.count / 3) }
            var reader = CatalogFileReader.logicals(ByteStream(Data(bytes)))
            do {
                while try reader.next() != nil {}
            } catch let error as ServerCatalogError {
                #expect(error.code == .badFile, "seed \(seed)")
            }
        }
    }
}
