import Foundation
import TestSupport
import Testing

/// `tideline diff`: exit codes, output and JSON.
@Suite struct DiffCommandTests: CommandSuite {
    let stage: CommandStage
    private let copy: String

    init() throws {
        stage = try CommandStage()
        copy = stage.folder.appending("Copy.store")
        try #require(
            tideline("kv", "import", store, "-", input: #"{"a": "one two", "b": 1, "c": [1, 2]}"#)
                .status == 0)
        try FileManager.default.copyItem(atPath: store, toPath: copy)
    }

    @Test func equalStoresPrintNothing() throws {
        for other in [store, copy] {
            let result = try tideline("diff", store, other)
            #expect(result.status == 0)
            #expect(result.output.isEmpty && result.errors.isEmpty)
        }
    }

    @Test func incompleteDocumentIsNamed() throws {
        try #require(tideline("docs", "new", store, "Plans").status == 0)
        // Small changes of a large document aren't compacted.
        let text = (0..<200).map { _ in UUID().uuidString }.joined()
        try #require(tideline("docs", "set", store, "Plans", "/text", text).status == 0)
        for (device, key) in [("phone", "/a"), ("tablet", "/b")] {
            try #require(
                tideline(
                    "docs", "set", store, "Plans", key, "1", "--device", device, "--new-device"
                ).status == 0)
        }
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        try FileManager.default.removeItem(atPath: copy + "/Devices/phone/Documents.db")
        // The change of the tablet depends on the change of the phone.
        let result = try tideline("diff", copy, store)
        #expect(result.status == 1)
        #expect(result.errors.contains(" is incomplete: 1 change waits for a change"))
    }

    @Test func differencesArePrintedWithMarkedWords() throws {
        try #require(tideline("kv", "set", copy, "a", "one three").status == 0)
        try #require(tideline("kv", "unset", copy, "b").status == 0)
        try #require(tideline("kv", "set", copy, "d", "1", "--as", "integer").status == 0)
        let result = try tideline("diff", store, copy)
        #expect(result.status == 1)
        #expect(
            result.output == """
                changed key a
                  - one [-two-]  (desk)
                  + one {+three+}  (desk)
                removed key b
                  - 1  (desk)
                added key d
                  + 1  (desk)

                """)
        #expect(result.errors.isEmpty)
    }

    @Test func jsonHasTheDocumentedMembers() throws {
        try #require(tideline("kv", "set", copy, "a", "x").status == 0)
        try #require(tideline("blobs", "put", copy, "f", "-", input: "12345").status == 0)
        let lines = try tideline("diff", copy, store, "--json").output.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(
            lines[0] == """
                {"change":"notArrived","from":"x","fromDevice":"desk","key":"a","store":"keys",\
                "to":"one two","toDevice":"desk"}
                """)
        #expect(lines[1].hasPrefix(#"{"blob":"f","change":"removed","from":{"bytes":5,"date":""#))
        #expect(lines[1].hasSuffix(#","store":"blobs","to":null}"#))
    }

    @Test func statisticsCountEachKind() throws {
        try #require(tideline("kv", "set", copy, "a", "x").status == 0)
        try #require(tideline("kv", "set", copy, "z", "x").status == 0)
        let json = try tideline("diff", store, copy, "--stat", "--json")
        #expect(json.status == 1)
        #expect(
            json.output == """
                {"added":1,"changed":1,"notArrived":0,"removed":0,"store":"keys"}

                """)
        let table = try tideline("diff", store, copy, "--stat")
        #expect(table.status == 1)
        #expect(table.output.contains("keys   1      0        1        0"))
        #expect(try tideline("diff", store, copy, "--stat", "--prefix", "b").output.isEmpty)
    }

    @Test func storeIsComparedAtTwoTimes() throws {
        let row = try tideline("log", store, "--key", "a", "--json").output
        let time = try #require(row.firstMatch(of: /"timestamp":(\d+)/)?.1)
        try #require(tideline("kv", "set", store, "a", "new").status == 0)
        let since = try tideline("diff", store, "--from", "\(time)", "--json")
        #expect(since.status == 1)
        #expect(since.output.contains(#""from":"one two""#))
        #expect(since.output.contains(#""to":"new""#))
        let backwards = try tideline("diff", store, "--to", "\(time)")
        #expect(backwards.output.contains("+ {+one two+}"))
        let first = try tideline(
            "diff", store, "--from", "2020-01-01", "--to", "\(time)", "--stat")
        #expect(first.output.contains("keys   3      0        0        0"))
        #expect(try tideline("diff", store, copy, "--from", "\(time)").status == 0)
    }

    @Test func comparingChangesNoByte() throws {
        try #require(tideline("kv", "set", copy, "a", "x").status == 0)
        let before = try [store, copy].map { try FolderState(of: $0) }
        #expect(try tideline("diff", store, copy).status == 1)
        #expect(try tideline("diff", copy, "--from", "1h", "--json").status == 1)
        #expect(try [store, copy].map { try FolderState(of: $0) } == before)
    }

    @Test func wrongUsageIsExplained() throws {
        #expect(try tideline("diff", store).status == 64)
        #expect(try tideline("diff", store, folder.appending("missing")).status == 66)
        let other = try tideline("diff", store, "\(store)/Devices/desk/Logs.db")
        #expect(other.status == 64)
        #expect(other.errors.contains("package"), "\(other.errors)")
    }

    @Test func damagedLogIsReportedAndTheOthersAreCompared() throws {
        try #require(
            tideline("kv", "set", copy, "p", "1", "--device", "phone", "--new-device").status == 0)
        let other = folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: copy, toPath: other)
        try #require(tideline("kv", "set", copy, "a", "x").status == 0)
        try Data(repeating: 7, count: 5_000).write(
            to: URL(filePath: "\(other)/Devices/phone/Logs.db"))
        let result = try tideline("diff", other, copy)
        #expect(result.status == 1)
        #expect(result.output.contains("changed key a") && result.output.contains("added key p"))
        #expect(result.errors.contains("\(other): phone is"))
    }
}
