import Foundation
import TestSupport
import Testing

/// Devices, documents, times and values in the forms that users type.
@Suite struct NamesAndTimesCommandTests: CommandSuite {
    let stage: CommandStage

    init() throws {
        stage = try CommandStage()
        try #require(tideline("kv", "set", store, "a", "1", device: "phone-1").status == 0)
        let info = folder.appending("info.plist")
        try PropertyListSerialization.data(
            fromPropertyList: ["deviceName": "Ben's phone"], format: .xml, options: 0
        ).write(to: URL(filePath: info))
        try #require(tideline("blobs", "put", store, "info/phone-1.plist", info).status == 0)
    }

    private func devices() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store + "/Devices").sorted()
    }

    @Test func shownNameWritesAsThatDevice() throws {
        let result = try tideline("kv", "set", store, "a", "2", "--device", "Ben's phone")
        #expect(result.status == 0)
        #expect(try devices() == ["phone-1"])
        let log = try tideline("log", store, "--device", "Ben's phone", "--json")
        #expect(log.output.split(separator: "\n").count == 2)
    }

    @Test func unknownDeviceIsRefusedUnlessDeclaredNew() throws {
        #expect(try tideline("kv", "set", store, "a", "2", "--device", "phome-1").status == 64)
        #expect(try devices() == ["phone-1"])
        let added = try tideline("kv", "set", store, "a", "2", "--device", "pad", "--new-device")
        #expect(added.status == 0)
        #expect(try devices() == ["pad", "phone-1"])
        // The machine's own device needs no permission, even if it is named.
        #expect(try tideline("kv", "set", store, "a", "3", "--device", "desk").status == 0)
    }

    @Test func nameSharedBySeveralDevicesIsRefused() throws {
        try #require(tideline("kv", "set", store, "a", "2", device: "phone-2").status == 0)
        let info = folder.appending("info.plist")
        try #require(tideline("blobs", "put", store, "info/phone-2.plist", info).status == 0)
        let result = try tideline("kv", "set", store, "a", "3", "--device", "Ben's phone")
        #expect(result.status == 64)
        #expect(result.errors.contains("phone-1, phone-2"))
    }

    @Test func logOfAnUnknownDeviceExitsWithOne() throws {
        #expect(try tideline("log", store, "--device", "nosuch").status == 1)
        #expect(try tideline("log", store, "--device", "phone-1").status == 0)
    }

    @Test func extractNamesTheRequestedPathIfItsFolderIsMissing() throws {
        let path = folder.appending("none/Small.store")
        let result = try tideline("extract", store, "a", "--output", path)
        #expect(result.status == 73)
        #expect(result.errors == "tideline: \(path): its folder doesn't exist\n")
    }

    @Test func emptyKeyIsNotSet() throws {
        #expect(try tideline("kv", "set", store, "", "v").status == 64)
        let file = folder.appending("changes.json")
        try Data(#"{"": 1}"#.utf8).write(to: URL(filePath: file))
        let imported = try tideline("kv", "import", store, file)
        #expect(imported.status == 65)
        #expect(imported.errors.hasPrefix("tideline: \(file): "))
        #expect(try tideline("kv", "list", store, "--json").output == "{\"a\":\"1\"}\n")
    }

    @Test(arguments: [
        "kv get STORE", "kv unset STORE", "resolve STORE --value v", "resolve STORE --proposal",
        "ignore STORE", "ignore STORE --stop", "restore STORE --at 2h",
        "extract STORE --output STORE-2", "entities show STORE", "servers show STORE",
    ])
    func missingEmptyNameIsWrongUsage(_ line: String) throws {
        try #require(tideline("servers", "create", store).status == 0)
        let words = line.split(separator: " ").map { String($0).replacing("STORE", with: store) }
        let result = try ProgramResult.tideline(words + [""], home: folder)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains(" \"\": the "), "\(result.errors)")
        #expect(result.errors.contains(" is empty"), "\(result.errors)")
    }

    @Test(arguments: [
        ("json", "{\"x\": [1, 2]}\n", "{\"x\":[1,2]}"), ("integer", "42\n", "42"),
        ("string", "a line\n", "\"a line\\n\""), ("boolean", "true", "true"),
    ])
    func dashWithATypeReadsStandardInput(type: String, input: String, json: String) throws {
        #expect(try tideline("kv", "set", store, "k", "-", "--as", type, input: input).status == 0)
        #expect(try tideline("kv", "get", store, "k", "--json").output == json + "\n")
    }

    @Test func dashWithoutATypeIsTheValue() throws {
        #expect(try tideline("kv", "set", store, "k", "-").status == 0)
        #expect(try tideline("kv", "get", store, "k").output == "-\n")
    }

    @Test(arguments: ["10m", "7d", "3 days ago", "yesterday", "2020-11-20", "2020-11-20T10:00:00Z"])
    func agesAndDaysAreTimes(time: String) throws {
        let past = try tideline("kv", "list", store, "--at", time, "--json")
        #expect(past.status == 0 && past.output == "{}\n", "\(past.errors)")
    }

    @Test func documentIsFoundByIdentifierPrefixOrWorkspaceName() throws {
        let new = try tideline("docs", "new", store, "Plans")
        let id = new.output.trimmingCharacters(in: .newlines)
        let set = try tideline("docs", "set", store, "Plans", "/x", "1", "--as", "integer")
        #expect(set.status == 0, "\(set.errors)")
        for name in ["Plans", id, String(id.prefix(6)), String(id.prefix(6)).lowercased()] {
            #expect(try tideline("docs", "show", store, name, "--json").output == "{\"x\":1}\n")
        }
        try #require(tideline("docs", "new", store, "Plans").status == 0)
        #expect(try tideline("docs", "show", store, "Plans").status == 64)
        #expect(try tideline("docs", "delete", store, String(id.prefix(8))).status == 0)
        #expect(try tideline("docs", "show", store, "Plans", "--json").status == 0)
    }
}
