import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

/// `tideline servers` as scripts see it.
@Suite struct ServersCommandTests {
    private let folder: TemporaryFolder
    private let catalog: String
    private let logicals: String
    private let samples = SampleServers(count: 200, countryCount: 12).servers()

    init() throws {
        folder = try TemporaryFolder()
        catalog = folder.appending("Catalog.db")
        logicals = folder.appending("logicals.json")
        try LogicalsWriter.logicals(samples).write(to: URL(filePath: logicals))
    }

    private func servers(_ arguments: String..., input: String? = nil) throws -> ProgramResult {
        try ProgramResult.running(
            "tideline", ["servers"] + arguments,
            environment: [
                "XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path,
                "TIDELINE_DEVICE": "desk", "LANG": "de_CH.UTF-8",
            ], input: input)
    }

    private func fill() throws {
        try #require(try servers("create", catalog).status == 0)
        try #require(try servers("import", catalog, logicals).status == 0)
    }

    private func objects(_ result: ProgramResult) throws -> [[String: Any]] {
        try result.output.jsonObjects()
    }

    @Test func catalogThatIsNotDownloadedIsNotReplaced() throws {
        let store = folder.appending("Notes.store")
        let device = store + "/Devices/desk"
        try FileManager.default.createDirectory(
            atPath: device, withIntermediateDirectories: true)
        try Data("bplist00".utf8).write(to: URL(filePath: device + "/.Catalog.db.icloud"))
        for arguments in [["create", store], ["import", store, logicals], ["list", store]] {
            let result = try ProgramResult.tideline(["servers"] + arguments, home: folder)
            #expect(result.status == 65, "\(arguments) \(result.errors)")
            #expect(result.errors.contains("has not downloaded"), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: device + "/Catalog.db"))
    }

    @Test func listedServersHaveTheMembersOfTheContract() throws {
        try fill()
        let list = try objects(try servers("list", catalog, "--json"))
        #expect(list.count == 200)
        let wanted: Set = [
            "id", "name", "entryCountry", "exitCountry", "hostCountry", "city", "gateway", "tier",
            "features", "status", "load", "score", "protocols",
        ]
        #expect(list.allSatisfy { wanted.isSubset(of: $0.keys) && $0["endpoints"] == nil })
    }

    @Test func cityHasTheSameNameAsOnTheScreen() throws {
        try fill()
        let rows = try servers("list", catalog).output.split(separator: "\n")
        for server in samples {
            guard let city = server.logical.translatedCity ?? server.logical.city else { continue }
            let row = try #require(rows.first { $0.hasSuffix(" \(server.id)") })
            #expect(row.contains(" \(city) "), "\(row)")
        }
        let named = try #require(
            samples.first { $0.logical.city == nil && $0.logical.translatedCity != nil })
        let shown = try servers("show", catalog, named.id).output
        #expect(shown.contains("city        \(named.logical.translatedCity ?? "")\n"), "\(shown)")
    }

    @Test func infoCountsTheServers() throws {
        try fill()
        func information(_ path: String) throws -> [String: Any] {
            let result = try ProgramResult.running(
                "tideline", ["info", path, "--json"],
                environment: ["XDG_STATE_HOME": folder.appending("state")])
            return try #require(objects(result).first)
        }
        let alone = try information(catalog)
        #expect(alone["kind"] as? String == "catalog")
        #expect((alone["counts"] as? [String: Int])?["servers"] == 200)
        let package = folder.appending("Servers.store")
        let device = package + "/Devices/desk"
        try FileManager.default.createDirectory(
            atPath: device, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: catalog, toPath: device + "/Catalog.db")
        #expect((try information(package)["counts"] as? [String: Int])?["servers"] == 200)
        try Data("no database".utf8).write(to: URL(filePath: device + "/Catalog.db"))
        let problems = try information(package)["problems"] as? [String]
        #expect(problems?.contains { $0.hasPrefix("desk: servers: ") } == true)
    }

    @Test func filtersAndOrdersApplyToTheList() throws {
        try fill()
        let result = try servers(
            "list", catalog, "--country", "ch", "--max-tier", "2", "--features", "P2P",
            "--without", "tor,secureCore", "--online", "--protocol", "wireguardtls,ikev2",
            "--order", "fastest", "--limit", "3", "--json")
        let plain = try ServerRepository(servers: samples).getServers(
            filteredBy: [
                .kind(.country("CH")), .maxTier(2), .isNotUnderMaintenance,
                .features(ServerFeatureFilter(required: .p2p, excluded: [.tor, .secureCore])),
                .supports([.wireGuardTLS, .ikev2]),
            ], orderedBy: .fastest)
        let names = try objects(result).map { $0["id"] as? String }
        #expect(!names.isEmpty)
        #expect(names == plain.prefix(3).map(\.id))
        let gateways = try objects(try servers("list", catalog, "--gateway", "--json"))
        #expect(gateways.count == samples.count { $0.logical.gatewayName != nil })
    }

    @Test func groupsAreNamedInTheLanguageOfTheEnvironment() throws {
        try fill()
        let groups = try objects(try servers("groups", catalog, "--order", "name", "--json"))
        let swiss = groups.filter {
            $0["code"] as? String == "CH" && $0["kind"] as? String == "country"
        }
        #expect(swiss.map { $0["name"] as? String } == ["Schweiz"])
        let kinds = groups.compactMap { $0["kind"] as? String }
        #expect(kinds == kinds.sorted(by: >), "gateways first")
    }

    @Test func shownServerHasItsEndpoints() throws {
        try fill()
        let server = try #require(samples.first { $0.endpoints.count == 3 })
        let shown = try objects(try servers("show", catalog, server.id, "--json"))
        let endpoints = shown.first?["endpoints"] as? [[String: Any]]
        #expect(endpoints?.map { $0["id"] as? String } == server.endpoints.map(\.id))
        let first = try objects(try servers("first", catalog, "--id", server.id, "--json"))
        #expect(first.map { $0["id"] as? String } == [server.id])
    }

    @Test func exitCodesDistinguishErrors() throws {
        try fill()
        #expect(try servers("create", catalog).status == 73)
        #expect(try servers("show", catalog, "nobody").status == 1)
        #expect(try servers("first", catalog, "--country", "QQ").status == 1)
        #expect(try servers("list", catalog, "--features", "wings").status == 64)
        #expect(try servers("list", catalog, "--limit", "-1").status == 64)
        #expect(try servers("list", folder.appending("missing")).status == 66)
        #expect(try servers("import", folder.appending("missing"), logicals).status == 66)
        #expect(try servers("import", catalog, folder.appending("missing")).status == 66)
        #expect(try servers("list", logicals).status == 65)
        let broken = try servers("import", catalog, "-", input: "{\"LogicalServers\": [")
        #expect(broken.status == 65)
        #expect(broken.output.isEmpty)
        #expect(broken.errors.hasPrefix("tideline: "))
        #expect(try objects(try servers("list", catalog, "--json")).count == 200)
    }

    @Test func loadsAndPruneReportTheirChanges() throws {
        try fill()
        let loads = """
            {"LogicalServers": [{"ID": "\(samples[0].id)", "Load": 1, "Score": 0.0, "Status": 1},
             {"ID": "nobody", "Load": 1, "Score": 1, "Status": 1}, {"ID": "half"},]}
            """
        let loaded = try objects(try servers("loads", catalog, "-", "--json", input: loads))
        #expect(loaded.first?["imported"] as? Int == 1)
        #expect(loaded.first?["unknown"] as? Int == 1)
        #expect(loaded.first?["bad"] as? Int == 1)
        let first = try objects(try servers("first", catalog, "--json"))
        #expect(first.map { $0["id"] as? String } == [samples[0].id])
        let paid = try #require(samples.first { $0.logical.tier > 0 })
        let pruned = try servers(
            "prune", catalog, "-", "--max-tier", "0", "--json",
            input: "{\"LogicalServers\": [{\"ID\": \"\(paid.id)\"}]}")
        #expect(
            try objects(pruned).first?["deleted"] as? Int
                == samples.count { $0.logical.tier == 0 })
    }

    @Test func newerCatalogIsRebuiltOnlyWhenAsked() throws {
        try fill()
        let database = try CatalogDatabase.open(path: catalog)
        try database.writer?.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('the future')")
        }
        let refused = try servers("list", catalog)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("tideline servers create --rebuild"))
        #expect(try servers("create", catalog, "--rebuild").status == 0)
        #expect(FileManager.default.fileExists(atPath: catalog + ".old"))
        #expect(try servers("list", catalog, "--json").output.isEmpty)
    }

    @Test func eachDeviceOfAPackageHasACatalog() throws {
        let package = folder.appending("Notes.store")
        try FileManager.default.createDirectory(
            atPath: package + "/Devices", withIntermediateDirectories: true)
        #expect(try servers("list", package).status == 66)
        let files = try FileManager.default.contentsOfDirectory(atPath: package + "/Devices")
        #expect(files.isEmpty, "reading makes nothing")
        let result = try servers("import", package, logicals)
        #expect(result.status == 0)
        #expect(result.errors.contains("tideline: desk "))
        #expect(FileManager.default.fileExists(atPath: package + "/Devices/desk/Catalog.db"))
        #expect(try objects(try servers("list", package, "--json")).count == 200)
    }

    /// A package in which only the desk has a catalog.
    private func filledPackage() throws -> String {
        let package = folder.appending("Notes.store")
        try FileManager.default.createDirectory(
            atPath: package + "/Devices", withIntermediateDirectories: true)
        try #require(try servers("import", package, logicals).status == 0)
        return package
    }

    @Test func namedDeviceNeverShowsAnotherDevicesCatalog() throws {
        let package = try filledPackage()
        for command in [["list"], ["groups"], ["first"], ["show", samples[0].id]] {
            let arguments = [command[0], package] + command.dropFirst() + ["--device", "phone"]
            let result = try ProgramResult.running(
                "tideline", ["servers"] + arguments,
                environment: ["XDG_STATE_HOME": folder.appending("state")])
            #expect(result.status == 66, "\(arguments)")
            #expect(result.output.isEmpty, "\(arguments)")
            #expect(
                result.errors.contains("phone ") && result.errors.contains(package)
                    && result.errors.contains("--device: desk"), "\(result.errors)")
        }
        let named = try servers("list", package, "--device", "desk", "--json")
        #expect(try objects(named).count == 200)
        // No device is named, so the only catalog is used.
        let viewer = try ProgramResult.running(
            "tideline", ["servers", "list", package, "--json"],
            environment: ["XDG_STATE_HOME": folder.appending("state")])
        #expect(try objects(viewer).count == 200)
    }

    @Test func loadsAndPruneDoNotCreateACatalog() throws {
        let package = try filledPackage()
        for command in ["loads", "prune"] {
            let result = try servers(
                command, package, logicals, "--device", "phone", "--new-device")
            #expect(result.status == 66, "\(command)")
            #expect(result.errors.contains("phone "), "\(result.errors)")
        }
        let devices = try FileManager.default.contentsOfDirectory(atPath: package + "/Devices")
        #expect(devices == ["desk"])
        let first = try servers("import", package, logicals, "--device", "phone", "--new-device")
        #expect(first.status == 0)
        #expect(try servers("loads", package, logicals, "--device", "phone").status == 0)
    }

    @Test func failedFirstImportLeavesNothing() throws {
        let package = folder.appending("Notes.store")
        try FileManager.default.createDirectory(
            atPath: package + "/Devices", withIntermediateDirectories: true)
        let cut = folder.appending("cut.json")
        try Data(LogicalsWriter.logicals(samples).dropLast(40)).write(to: URL(filePath: cut))
        for file in [cut, folder.appending("missing.json")] {
            let result = try servers("import", package, file)
            #expect(result.status == (file == cut ? 65 : 66))
            #expect(result.errors.hasPrefix("tideline: \(file): "), "\(result.errors)")
            #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
        }
        let devices = try FileManager.default.contentsOfDirectory(atPath: package + "/Devices")
        #expect(devices.isEmpty)
    }

    @Test(arguments: ["import", "loads", "prune"])
    func badInputFileIsNamedInsteadOfTheCatalog(_ command: String) throws {
        try fill()
        let cut = folder.appending("cut.json")
        try Data(LogicalsWriter.logicals(samples).dropLast(40)).write(to: URL(filePath: cut))
        let result = try servers(command, catalog, cut)
        #expect(result.status == 65)
        #expect(result.errors.hasPrefix("tideline: \(cut): "), "\(result.errors)")
        #expect(!result.errors.contains(catalog), "\(result.errors)")
        let folderAsFile = try servers(command, catalog, folder.path)
        #expect(folderAsFile.status == 65)
        #expect(
            folderAsFile.errors.hasPrefix("tideline: \(folder.path): "),
            "\(folderAsFile.errors)")
        let piped = try servers(command, catalog, "-", input: "{")
        #expect(piped.errors.hasPrefix("tideline: standard input: "), "\(piped.errors)")
    }

    @Test func fileWithOnlyInvalidRecordsChangesNothing() throws {
        try fill()
        let before = try servers("list", catalog, "--json").output
        let invalid = "{\"LogicalServers\": [1, null, {}]}"
        for command in ["import", "loads", "prune"] {
            let result = try servers(command, catalog, "-", input: invalid)
            #expect(result.status == 65, "\(command)")
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("tideline: standard input: "), "\(result.errors)")
        }
        #expect(try servers("list", catalog, "--json").output == before)
        let package = folder.appending("Notes.store")
        try FileManager.default.createDirectory(
            atPath: package + "/Devices", withIntermediateDirectories: true)
        #expect(try servers("import", package, "-", input: invalid).status == 65)
        #expect(try FileManager.default.contentsOfDirectory(atPath: package + "/Devices").isEmpty)
    }

    @Test(arguments: [16, 99, 4_096]) func cutCatalogIsDamagedData(_ byteCount: UInt64) throws {
        try fill()
        let file = try #require(FileHandle(forWritingAtPath: catalog))
        try file.truncate(atOffset: byteCount)
        try file.close()
        for words in [["list"], ["groups"], ["show"], ["first"]] {
            let result = try ProgramResult.tideline(
                ["servers"] + words + [catalog] + (words == ["show"] ? ["x"] : []), home: folder)
            #expect(result.status == 65, "\(words): \(result.errors)")
        }
    }

    @Test func recordWithoutAnIdentifierStopsPruning() throws {
        try fill()
        let listed = "{\"LogicalServers\": [{\"ID\": \"\(samples[0].id)\"}, {\"Name\": \"CH#2\"}]}"
        let result = try servers("prune", catalog, "-", input: listed)
        #expect(result.status == 65)
        #expect(result.errors.contains("record 2 "))
        #expect(try objects(try servers("list", catalog, "--json")).count == 200)
    }

    @Test func emptyListPrunesNothing() throws {
        try fill()
        let result = try servers("prune", catalog, "-", input: "{\"LogicalServers\": []}")
        #expect(result.status == 65)
        #expect(result.errors.contains("lists no servers"))
        #expect(try objects(try servers("list", catalog, "--json")).count == 200)
    }

    @Test func serversOfSharedMachinesAreAllListedAndFound() throws {
        let all = SampleSharedServers().servers()
        try LogicalsWriter.logicals(all).write(to: URL(filePath: logicals))
        try #require(try servers("create", catalog).status == 0)
        let imported = try servers("import", catalog, logicals)
        #expect(imported.output == "imported 405 servers\n")
        #expect(imported.errors.isEmpty)
        let listed = try objects(try servers("list", catalog, "--json")).map { $0["id"] as? String }
        #expect(Set(listed) == Set(all.map(\.id)) && listed.count == 405)
        let groups = try objects(try servers("groups", catalog, "--json"))
        #expect(groups.reduce(0) { $0 + ($1["serverCount"] as? Int ?? 0) } == 405)
        let free = try #require(all.first { $0.logical.tier == 0 && $0.endpoints.count == 1 })
        let shown = try objects(try servers("show", catalog, free.id, "--json"))
        let endpoints = shown.first?["endpoints"] as? [[String: Any]]
        #expect(endpoints?.map { $0["id"] as? String } == free.endpoints.map(\.id))
    }

    @Test func serversWithoutEndpointsAreCountedAndListedOnRequest() throws {
        var servers = Array(samples.prefix(4))
        for index in 1...2 {
            servers[index] = VPNServer(logical: servers[index].logical, endpoints: [])
        }
        try LogicalsWriter.logicals(servers).write(to: URL(filePath: logicals))
        try #require(try self.servers("create", catalog).status == 0)
        let imported = try self.servers("import", catalog, logicals)
        #expect(imported.output.hasPrefix("imported 2 servers, and 2 without an endpoint"))
        let names = servers[1...2].map(\.logical.name).joined(separator: ", ")
        #expect(imported.errors == "tideline: without an endpoint: \(names)\n")
        let counts = try objects(try self.servers("import", catalog, logicals, "--json")).first
        #expect(counts?["imported"] as? Int == 4 && counts?["listable"] as? Int == 2)
        #expect(counts?["withoutEndpoints"] as? Int == 2)

        func listed(_ arguments: String...) throws -> Set<String?> {
            let result = try ProgramResult.running(
                "tideline", ["servers", "list", catalog, "--json"] + arguments,
                environment: ["XDG_STATE_HOME": folder.appending("state")])
            return Set(try objects(result).map { $0["id"] as? String })
        }
        #expect(try listed() == [servers[0].id, servers[3].id])
        #expect(try listed("--without-endpoints") == [servers[1].id, servers[2].id])
        #expect(try listed("--without-endpoints", "--protocol", "ikev2") == [])
        #expect(try listed("--without-endpoints", "--online") == [])
        let shown = try self.servers("show", catalog, servers[1].id)
        #expect(shown.status == 0)
        #expect(shown.output.contains("endpoints   none"))
    }
}
