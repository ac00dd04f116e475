import Foundation
import TestSupport
import Testing

/// Keys and entities that are exported to files and imported from them.
@Suite struct StoreImportCommandTests: CommandSuite {
    let stage: CommandStage

    init() throws { stage = try CommandStage() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder.appending(name)
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func empty() throws -> String {
        let path = folder.appending(UUID().uuidString + ".store")
        try #require(tideline("kv", "create", path).status == 0)
        return path
    }

    private static let values = #"""
        {"text": "plain", "empty": "", "digits": "01", "number": 5, "large": 18446744073709551615,
        "real": 1.0, "inf": {"$real": "inf"}, "nan": {"$real": "nan"}, "yes": true,
        "date": {"$date": "2026-01-02T03:04:05.5Z"}, "data": {"$data": "AAE="},
        "list": [1, "a", {"b": 2.5}], "lines": "a,\"b\"\nc\td", "tag": "{\"$data\": \"AA==\"}",
        "looks": "true", "dictionary": {"$dictionary": {"$data": "x"}}, "é": "表🙂"}
        """#

    @Test(arguments: ["csv", "tsv", "json", "jsonl"])
    func exportedKeysAreTheSameAfterImport(format: String) throws {
        let values = try file("values.json", Self.values)
        try #require(tideline("kv", "import", store, values).status == 0)
        let all = try tideline("kv", "list", store, "--json").output
        let exported = try tideline("kv", "list", store, "--format", format)
        #expect(exported.status == 0)
        let copy = try empty()
        let result = try tideline(
            "kv", "import", copy, try file("rows.\(format)", exported.output))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try tideline("kv", "list", copy, "--json").output == all)
    }

    @Test(arguments: ["json", "jsonl"])
    func deepestValueIsTheSameAfterImport(format: String) throws {
        let value = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
        let original = try empty()
        try #require(tideline("kv", "set", original, "deep", value, "--as", "json").status == 0)
        let rows = try tideline("kv", "list", original, "--format", format).output
        let copy = try empty()
        let result = try tideline("kv", "import", copy, try file("deep.\(format)", rows))
        #expect(result.status == 0, "\(result.errors)")
        #expect(try tideline("kv", "get", copy, "deep", "--json").output == value + "\n")
    }

    @Test func textThatOnlyLooksLikeATaggedValueStaysText() throws {
        let store = try empty()
        let csv = try file(
            "tags.csv",
            #"""
            key,value
            known,"{""$data"": ""AAE=""}"
            unknown,"{""$price"": 5}"

            """#)
        #expect(try tideline("kv", "import", store, csv).status == 0)
        #expect(
            try tideline("kv", "get", store, "known", "--json").output == "{\"$data\":\"AAE=\"}\n")
        #expect(
            try tideline("kv", "get", store, "unknown", "--json").output
                == #""{\"$price\": 5}""# + "\n")
    }

    @Test func untypedKeysGetTheTypeThatFitsAll() throws {
        let path = try file("n.csv", "key,value\na,1\nb,-20\n")
        let result = try tideline("kv", "import", store, path)
        #expect(result.errors.contains(": integer"), "\(result.errors)")
        #expect(try tideline("kv", "list", store, "--json").output == "{\"a\":1,\"b\":-20}\n")
        let mixed = try file("m.csv", "key,value\na,1\nb,x\nc,\nd,\"\"\n")
        let other = try tideline("kv", "import", store, mixed)
        #expect(other.errors.contains(": string"), "\(other.errors)")
        #expect(try tideline("kv", "set", store, "c", "x").status == 0)
        #expect(try tideline("kv", "import", store, mixed).status == 0)
        // NULL deletes a key, and an empty text doesn't.
        #expect(
            try tideline("kv", "list", store, "--json").output
                == "{\"a\":\"1\",\"b\":\"x\",\"d\":\"\"}\n")
    }

    @Test(arguments: [
        ("key,type,value\na,integer,5\nb,integer,x\n", "line 3, column 11"),
        ("key,type,value\na,color,5\n", "line 2, column 3"),
        ("key,value\na,1\na,2\n", "line 3, column 1"),
        ("key,value,note\na,1,x\n", "line 1, column 11"),
        ("name,value\na,1\n", "line 1, column 1"),
        ("key,value\na,\"1\n", "line 2, column 3"),
    ])
    func invalidRowImportsNoKey(text: String, place: String) throws {
        try #require(tideline("kv", "set", store, "a", "before").status == 0)
        let result = try tideline("kv", "import", store, try file("bad.csv", text))
        #expect(result.status == 65, "\(result.errors)")
        #expect(result.errors.contains(place), "\(result.errors)")
        #expect(try tideline("kv", "list", store, "--json").output == "{\"a\":\"before\"}\n")
    }

    @Test func exportOfTheKeysPaneIsImported() throws {
        let csv = try file(
            "rows.csv",
            #"""
            key,value,type,device,date,conflict
            a,5,integer,anna-laptop,2026-11-24T05:09:48.000000Z,true
            b,"{""$data"":""AAE=""}",bytes,anna-laptop,2026-11-24T05:09:48.000000Z,false
            c,"{""$date"":""2026-01-02T03:04:05.000000Z""}",date,,2026-11-24T05:09:48.000000Z,false
            d,"[1,""x""]",list,,2026-11-24T05:09:48.000000Z,false
            e,"{""y"":2.5}",map,,2026-11-24T05:09:48.000000Z,false
            f,plain,string,,2026-11-24T05:09:48.000000Z,false

            """#)
        let result = try tideline("kv", "import", store, csv)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try tideline("kv", "list", store, "--json").output
                == #"{"a":5,"b":{"$data":"AAE="},"c":{"$date":"2026-01-02T03:04:05Z"},"#
                + #""d":[1,"x"],"e":{"y":2.5},"f":"plain"}"# + "\n")
    }

    @Test func keysAreReadFromStandardInput() throws {
        let result = try tideline(
            "kv", "import", store, "-", "--format", "jsonl",
            input: "{\"key\": \"a\", \"value\": [1]}\n{\"key\": \"b\", \"value\": null}\n")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try tideline("kv", "get", store, "a", "--json").output == "[1]\n")
        #expect(try tideline("kv", "import", store, "-", input: "{\"c\": 3}").status == 0)
        #expect(try tideline("kv", "get", store, "c").output == "3\n")
    }

    @Test(arguments: ["csv", "tsv", "json", "jsonl"])
    func exportedEntitiesAreTheSameAfterImport(format: String) throws {
        let people = try file(
            "people.jsonl",
            #"""
            {"identifier": "a", "type": "person", "properties": {"name": "Anna", "born": 1985}}
            {"identifier": "b", "type": "person", "name": "", "born": "unknown", "score": 1.5}
            {"identifier": "c", "type": "book", "by": {"$entity": "a"}, "photo": {"$data": "AAE="},
             "read": true, "when": {"$date": "2026-01-02T03:04:05Z"}, "x:integer": [1, {"y": 2}]}
            """#)
        let made = try tideline("entities", "import", store, people)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.errors.contains("3 entities created"), "\(made.errors)")
        let exported = try tideline("entities", "list", store, "--format", format)
        let rows = try file("rows.\(format)", exported.output)
        let copy = try empty()
        let result = try tideline("entities", "import", copy, rows)
        #expect(result.status == 0, "\(result.errors) \(exported.output)")
        func properties(_ store: String) throws -> [String] {
            try tideline("entities", "list", store, "--order", "name", "--json").output
                .split(separator: "\n").map { line in
                    let text = String(line)
                    return text.replacing(/"modified":"[^"]*",/, with: "")
                }
        }
        #expect(try properties(copy) == properties(store))
        // Importing the same values again writes nothing.
        let again = try tideline("entities", "import", store, rows)
        #expect(
            again.errors.contains("0 entities created, 0 changed, 0 values added"),
            "\(again.errors)")
    }

    @Test func importedRowSetsAndRemovesProperties() throws {
        _ = try tideline(
            "entities", "add", store, "--type", "person", "--id", "a", "name=Anna", "city=Kyoto")
        #expect(
            try tideline("entities", "set", store, "a", "mail", "a@b", "--tag", "email").status == 0
        )
        let path = try file(
            "p.csv", "identifier,name,city,mail,born\na,Ann,,c@d,1985\n,Ben,\"\",,1990\n")
        let refused = try tideline("entities", "import", store, path)
        #expect(refused.status == 65 && refused.errors.contains("line 2, column 1"))
        let result = try tideline("entities", "import", store, path, "--type", "person")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("born: integer"), "\(result.errors)")
        #expect(result.errors.contains(", 1 deleted"), "\(result.errors)")
        let shown = try tideline("entities", "show", store, "a", "--history", "--json").output
        #expect(
            shown.contains(
                #""properties":{"born":1985,"mail":"c@d","name":"Ann"}"#), "\(shown)")
        // The semantic type of the property stays.
        #expect(shown.contains(#""type":"email","value":"c@d""#), "\(shown)")
        let listed = try tideline("entities", "list", store, "--where", "name=Ben", "--json")
        #expect(listed.output.contains(#""properties":{"born":1990,"city":"","name":"Ben"}"#))
    }

    @Test func oneInvalidEntityPreventsTheImport() throws {
        let path = try file(
            "p.csv", "identifier,type,born:integer\na,person,1985\nb,person,soon\n")
        let result = try tideline("entities", "import", store, path)
        #expect(result.status == 65, "\(result.errors)")
        #expect(result.errors.contains("line 3, column 10"), "\(result.errors)")
        #expect(try tideline("entities", "list", store, "--json").output.isEmpty)
    }
}
