import BenchSupport
import Foundation
import ServerCatalog
import ServerCatalogGRDB

/// A catalog's files in a temporary folder, and the same operations by the sqlite3 program.
struct CatalogFiles {
    let catalog: URL
    let logicals: URL
    let loads: URL
    private let folder: BenchFolder
    private let servers: [VPNServer]

    init(_ servers: [VPNServer]) throws {
        self.servers = servers
        folder = try BenchFolder()
        catalog = folder.url.appending(path: "Catalog.db")
        logicals = folder.url.appending(path: "logicals.json")
        loads = folder.url.appending(path: "loads.json")
        try LogicalsWriter.logicals(servers).write(to: logicals)
        // The server loads in this file differ from the imported ones, so that updates change rows.
        try LogicalsWriter.loads(Self.changed(servers)).write(to: loads)
    }

    private static func changed(_ servers: [VPNServer]) -> [VPNServer] {
        servers.map { server in
            var server = server
            server.logical.status.load = 100 - server.logical.status.load
            server.logical.status.score += 0.5
            return server
        }
    }

    func remove() { folder.remove() }

    func removeCatalog() throws {
        for suffix in ["", "-journal"] {
            let path = catalog.path + suffix
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Measures how long sqlite3 takes to insert the catalog's rows into an empty catalog, in one
    /// transaction.
    func timeOfInserting(runs: Int) throws -> Duration {
        try PlainSQLite(catalog).timeOfInserting(
            "logical logicalStatus endpoint endpointOverrides place", in: folder, runs: runs
        ) { _ = try CatalogDatabase.open(path: $0.path) }
    }

    /// Measures how long sqlite3 takes to update every server's status in one transaction.
    func timeOfUpdating(runs: Int) throws -> Duration {
        let script = folder.url.appending(path: "update.sql")
        let updates = Self.changed(servers).map { server in
            let status = server.logical.status
            return """
                UPDATE logicalStatus SET status = \(status.status), score = \(status.score), \
                load = \(status.load) WHERE logicalId = '\(server.id)';
                """
        }
        let text =
            ["PRAGMA synchronous = FULL; PRAGMA journal_mode = TRUNCATE; BEGIN;"] + updates
            + ["COMMIT;"]
        try Data(text.joined(separator: "\n").utf8).write(to: script)
        let copy = folder.url.appending(path: "plain.db")
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: catalog, to: copy)
        return try Stopwatch.median(runs: runs) {
            _ = try Program(named: "sqlite3").run([copy.path], input: script)
        }.time
    }
}
