import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// Differences between the servers of two catalogs.
@Suite struct ServerComparisonTests {
    private let folder: TemporaryFolder
    private let from: String
    private let to: String

    init() throws {
        folder = try TemporaryFolder()
        from = folder.appending("a.db")
        to = folder.appending("b.db")
        try CatalogSamples.write(to: from)
    }

    private func lines(
        _ comparison: ServerComparison
    ) throws -> (found: [String], problems: [String]) {
        var (found, problems): ([String], [String]) = ([], [])
        try comparison.forEach {
            found.append("\($0.change) \($0.subject.names[0].text)")
        } warn: {
            problems.append("\($0): \($1)")
        }
        return (found, problems)
    }

    @Test func serversAreMatchedByIdentifier() throws {
        let catalog = try CatalogDatabase.open(path: to)
        var servers = CatalogSamples.servers.filter { $0.logical.id != "ch-1" }
        servers.append(CatalogSamples.server("new", "N#1", "NO", []))
        let changed = try #require(servers.firstIndex { $0.logical.id == "de-3" })
        servers[changed] = CatalogSamples.server("de-3", "DE#2", "DE", [], load: 7, city: "Berlin")
        try catalog.upsert(servers: servers)
        #expect(
            try lines(ServerComparison(from: from, to: to)).found
                == ["removed ch-1", "changed de-3", "added new"])
        #expect(
            try lines(ServerComparison(from: from, to: to, prefix: "n")).found == ["added new"])
        #expect(try lines(ServerComparison(from: from, to: from)).found.isEmpty)
        #expect(try lines(ServerComparison(from: nil, to: to)).found.count == servers.count)
    }

    @Test func manyServersAreComparedInOrder() throws {
        func servers(_ loads: [Int: Int]) -> [VPNServer] {
            (1000..<2300).map {
                CatalogSamples.server("s\($0)", "S#\($0)", "NO", [], load: loads[$0] ?? 5)
            }
        }
        // The comparison reads servers in parts. These are the first and last servers of each part.
        let changed = [1000, 1499, 1500, 1999, 2000, 2299]
        let (old, new) = (folder.appending("old.db"), folder.appending("new.db"))
        try CatalogDatabase.open(path: old).upsert(servers: servers([:]))
        try CatalogDatabase.open(path: new).upsert(
            servers: servers(Dictionary(uniqueKeysWithValues: changed.map { ($0, 7) })))
        #expect(
            try lines(ServerComparison(from: old, to: new)).found
                == changed.map { "changed s\($0)" })
    }

    @Test func unreadableCatalogIsReported() throws {
        try Data(repeating: 7, count: 5_000).write(to: URL(filePath: to))
        let lines = try lines(
            ServerComparison(from: from, to: to, device: try DeviceID("desk")))
        #expect(lines.found.isEmpty)
        #expect(lines.problems.count == 1)
        #expect(lines.problems.first?.hasPrefix("to: ") == true)
    }

    @Test func catalogThatIsNotDownloadedIsNotCompared() throws {
        let packages = try ["A.store", "B.store"].map { name in
            let device = folder.appending("\(name)/Devices/desk")
            try FileManager.default.createDirectory(
                atPath: device, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: from, toPath: device + "/Catalog.db")
            return try StorePackage(opening: folder.appending(name))
        }
        let device = packages[0].path + "/Devices/desk"
        try FileManager.default.moveItem(
            atPath: device + "/Catalog.db", toPath: device + "/.Catalog.db.icloud")
        for (old, new, side) in [(0, 1, "from: "), (1, 0, "to: ")] {
            let comparisons = try ServerComparison.comparisons(
                of: packages[old], packages[new], prefix: "")
            #expect(comparisons.count == 1)
            let lines = try lines(try #require(comparisons.first))
            #expect(lines.found.isEmpty)
            #expect(lines.problems.count == 1)
            #expect(lines.problems.first?.hasPrefix(side) == true)
            #expect(lines.problems.first?.contains("has not downloaded") == true)
        }
    }
}
