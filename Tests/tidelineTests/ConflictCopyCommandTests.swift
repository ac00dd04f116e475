import Foundation
import TestSupport
import Testing

/// Conflict copies in a package, as `tideline info` and the commands it suggests treat them.
@Suite struct ConflictCopyCommandTests: CommandSuite {
    private static let mark = ".sync-conflict-20260101-120000-ABC2DEF"
    private static let leftBehind = [
        "Logs\(mark).db", "Logs.db..path1", "Logs.db-journal..path2", "Entities\(mark).db",
        "Entities.db.conflict1", "Catalog.db..path1", "Logs~20260101-120000.db", "Entities.db~",
        ".Logs.db.a1B2c3", ".syncthing.Logs.db.tmp",
    ]
    let stage: CommandStage

    init() throws {
        stage = try CommandStage()
        try #require(tideline("kv", "set", store, "k", "v").status == 0)
        try #require(
            tideline("entities", "add", store, "--type", "note", "--id", "n", "title=x").status == 0
        )
    }

    private func copy(_ from: String, _ to: String) throws {
        try FileManager.default.copyItem(atPath: "\(store)/\(from)", toPath: "\(store)/\(to)")
    }

    private func problems() throws -> [String] {
        let information = try JSONSerialization.jsonObject(
            with: Data(try tideline("info", store, "--json").output.utf8))
        return try #require((information as? [String: Any])?["problems"] as? [String])
    }

    @Test(arguments: Self.leftBehind)
    func conflictCopyOfALogIsNamedOnceAndNotRead(_ name: String) throws {
        let (keys, log) = (try tideline("kv", "list", store, "--json"), try tideline("log", store))
        let entities = try tideline("entities", "list", store, "--json")
        try copy(
            "Devices/desk/\(name.contains("Entities") ? "Entities" : "Logs").db",
            "Devices/desk/\(name)")
        #expect(try problems().filter { $0.contains(name) }.count == 1)
        #expect(try tideline("kv", "list", store, "--json").output == keys.output)
        #expect(try tideline("log", store).output == log.output)
        #expect(try tideline("entities", "list", store, "--json").output == entities.output)
    }

    @Test func blobThatIsNotDownloadedIsNotMissing() throws {
        let file = folder.appending("a.txt")
        try "content".write(toFile: file, atomically: true, encoding: .utf8)
        try #require(tideline("blobs", "put", store, "trip/a.txt", file).status == 0)
        try FileManager.default.moveItem(
            atPath: "\(store)/Blobs/trip/a.txt", toPath: "\(store)/Blobs/trip/.a.txt.icloud")
        for verb in ["get", "delete"] {
            let result = try tideline("blobs", verb, store, "trip/a.txt")
            #expect(result.status == 74)
            #expect(result.errors.contains("has not downloaded"), "\(result.errors)")
        }
        #expect(try tideline("blobs", "put", store, "trip/a.txt", file).status == 65)
        #expect(try tideline("blobs", "get", store, "trip/b.txt").status == 1)
    }

    @Test func conflictCopyOfEntitiesIsMergedByExportAndImport() throws {
        let other = "\(store)/Devices/desk/Entities\(Self.mark).db"
        try copy("Devices/desk/Entities.db", "Devices/desk/Entities\(Self.mark).db")
        try #require(tideline("entities", "delete", store, "n").status == 0)
        let problem = try #require(try problems().first { $0.contains(Self.mark) })
        #expect(
            problem.contains(
                "tideline entities export \(other) | tideline entities import \(store) -"))
        let exported = folder.appending("entities.json")
        try tideline("entities", "export", other).output
            .write(toFile: exported, atomically: true, encoding: .utf8)
        let imported = try tideline("entities", "import", store, exported)
        #expect(imported.status == 0)
        #expect(imported.errors.contains("1 entity created"))
    }

    @Test func mergingAConflictCopyReportsTheMergedRowsAndTheFileToDelete() throws {
        let other = "\(store)/Devices/desk/Logs\(Self.mark).db"
        try copy("Devices/desk/Logs.db", "Devices/desk/Logs\(Self.mark).db")
        let merged = try tideline("merge", store, other)
        #expect(merged.status == 0)
        let lines = merged.errors.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "0 rows", "\(lines)")
        #expect(lines.last?.hasPrefix("\(other) ") == true, "\(lines)")
        // A log that isn't a conflict copy may still be in use.
        let own = try tideline("merge", store, "\(store)/Devices/desk/Logs.db")
        #expect(own.errors == "0 rows\n")
    }

    @Test func conflictCopyOfABlobIsNamedAndNotListed() throws {
        let text = folder.appending("a.txt")
        try "one".write(toFile: text, atomically: true, encoding: .utf8)
        try #require(tideline("blobs", "put", store, "trip/a.txt", text).status == 0)
        try copy("Blobs/trip/a.txt", "Blobs/trip/a\(Self.mark).txt")
        let listed = try tideline("blobs", "list", store, "--json")
        #expect(!listed.output.contains(Self.mark))
        #expect(listed.errors.contains("not listed: trip/a\(Self.mark).txt"))
        #expect(try problems().filter { $0.contains("trip/a\(Self.mark).txt") }.count == 1)
        #expect(try tideline("blobs", "get", store, "trip/a\(Self.mark).txt").output == "one")
        #expect(try tideline("blobs", "put", store, "b\(Self.mark).txt", text).status == 64)
        #expect(try tideline("blobs", "delete", store, "trip/a\(Self.mark).txt").status == 0)
        #expect(try problems().isEmpty)
    }

    @Test func conflictCopyOfABlobIsComparedAndResolved() throws {
        let name = "list\(Self.mark).txt"
        try #require(
            tideline("blobs", "put", store, "list.txt", "-", input: "tent\nmap\n").status == 0)
        #expect(try tideline("blobs", "conflicts", store, "list.txt").status == 1)
        #expect(try tideline("blobs", "conflicts", store, "nope.txt").status == 1)
        try copy("Blobs/list.txt", "Blobs/\(name)")
        let same = try tideline("blobs", "conflicts", store, "--json").output
        #expect(same.contains(#""isSame":true"#))
        try Data("tent\nrope\n".utf8).write(to: URL(filePath: "\(store)/Blobs/\(name)"))

        let shown = try tideline("blobs", "conflicts", store, "list.txt").output
        #expect(shown.contains("differs"))
        #expect(shown.contains("[-map-]") && shown.contains("{+rope+}"))
        #expect(try problems().filter { $0.contains(name) && $0.contains("resolve") }.count == 1)
        #expect(try tideline("blobs", "resolve", store, "list.txt", "--take", "x").status == 1)
        #expect(try tideline("blobs", "resolve", store, "other", "--take", "other").status == 1)

        #expect(try tideline("blobs", "resolve", store, "list.txt", "--take", name).status == 0)
        #expect(try tideline("blobs", "get", store, "list.txt").output == "tent\nrope\n")
        #expect(try tideline("blobs", "conflicts", store).output.isEmpty)
    }
}
