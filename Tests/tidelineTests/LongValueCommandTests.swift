import Foundation
import TestSupport
import Testing

/// Values that are longer than lists show.
@Suite struct LongValueCommandTests: CommandSuite {
    let stage: CommandStage
    private let text = String(repeating: "long ", count: 1_800_000)

    init() throws {
        stage = try CommandStage()
        let file = folder.appending("value.plist")
        try PropertyListSerialization.data(fromPropertyList: text, format: .binary, options: 0)
            .write(to: URL(fileURLWithPath: file))
        try #require(
            try tideline("kv", "set", store, "long", file, "--as", "plist").status == 0)
        try #require(try tideline("kv", "set", store, "short", "s").status == 0)
    }

    @Test func listsShowTheLengthOfALongValueAndGetPrintsIt() throws {
        let list = try tideline("kv", "list", store, "--json")
        #expect(list.status == 0)
        #expect(list.output == "{\"short\":\"s\"}\n")
        #expect(list.errors.contains("long: ") && list.errors.contains(" 9,000,0"))
        let past = try tideline("kv", "list", store, "--at", "2040-01-01T00:00:00Z", "--json")
        #expect(past.output == list.output)
        let log = try tideline("log", store, "--key", "long", "--json")
        #expect(log.status == 0)
        #expect(log.output.count < 1_000)
        #expect(log.output.contains("\"bytes\":90000"))
        #expect(log.output.contains("\"deleted\":false"))
        #expect(log.output.contains("\"value\":null"))
        #expect(log.output.contains("\"problem\":\"") && log.output.contains(" 9,000,0"))
        let got = try tideline("kv", "get", store, "long")
        #expect(got.status == 0)
        #expect(got.output == text + "\n")
        #expect(try tideline("kv", "unset", store, "long").status == 0)
        #expect(try tideline("kv", "get", store, "long").status == 1)
    }
}
