import BenchSupport
import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB

/// A catalog of 20,000 servers, compared with the sqlite3 program on the same file.
struct CatalogSuite: Suite {
    static let name = "catalog"
    static let abstract = "20,000 servers with 40,000 endpoints: import, loads, queries."

    private static let limit = 1.3

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let files = try CatalogFiles(
            SampleServers(count: 20_000, countryCount: 65, endpointCounts: 2...2).servers())
        defer { files.remove() }
        try importing(files, options, &report)
        try updatingLoads(files, options, &report)
        let catalog = try CatalogDatabase.open(path: files.catalog.path, names: .english)
        let plain = PlainSQLite(files.catalog)

        func compare(
            _ name: String, times: Int, limit: Double? = Self.limit,
            _ request: SQLRequest<some Any>, _ query: () throws -> Int
        ) throws {
            guard try query() > 0 else { throw BenchError("\(name) finds nothing") }
            let own = try Stopwatch.median(runs: options.runs) {
                for _ in 0..<times { _ = try query() }
            }
            let baseline = try plain.time(
                of: catalog.read { try PlainSQLite.Query(request, $0) }, times: times,
                runs: options.runs)
            report.add(name, own.time / times, baseline: baseline, limit: limit)
        }

        func compareGroups(_ name: String, times: Int, _ filters: [VPNServerFilter]) throws {
            let request = GroupInfoResult.request(
                filters, groupedBy: .country, names: catalog.names)
            try compare(name, times: times, request) {
                try catalog.groups(filteredBy: filters).count
            }
        }

        func compareServers(_ name: String, times: Int, _ filters: [VPNServerFilter]) throws {
            let request = ServerInfoResult.request(
                filters, orderedBy: .nameAscending, names: catalog.names)
            try compare(name, times: times, request) {
                try catalog.servers(filteredBy: filters, orderedBy: .nameAscending).count
            }
        }

        try compareGroups("groups", times: 10, [])
        try compareGroups("groups that support a protocol", times: 5, [.supports(.wireGuardTLS)])
        try compareServers("servers of a country", times: 10, [.kind(.country("CH"))])
        try compareServers("all servers", times: 2, [])
        try compareServers("text search", times: 50, [.matches("zür")])

        // This comparison has no limit. Only the library needs a transaction and a second SELECT
        // for the endpoints, and each costs as much as a SELECT that reads one row.
        let filters: [VPNServerFilter] = [.maxTier(2), .isNotUnderMaintenance]
        let first = ServerInfoResult.request(
            filters, orderedBy: .fastest, limit: 1, names: catalog.names)
        try compare("first server", times: 500, limit: nil, first) {
            try catalog.firstServer(filteredBy: filters, orderedBy: .fastest) == nil ? 0 : 1
        }
        // A read-only catalog reopens the file for each query and creates no file next to it.
        let foreign = try CatalogDatabase.openForReading(path: files.catalog.path, names: .english)
        let looking = try Stopwatch.median(runs: options.runs) {
            for _ in 0..<500 {
                _ = try foreign.firstServer(filteredBy: filters, orderedBy: .fastest)
            }
        }
        report.add("first server of a read-only catalog", looking.time / 500)
    }

    private func importing(
        _ files: CatalogFiles, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let own = try Stopwatch.median(
            runs: options.runs,
            prepare: {
                try files.removeCatalog()
                return try CatalogDatabase.open(path: files.catalog.path, names: .english)
            },
            work: { catalog in
                let handle = try FileHandle(forReadingFrom: files.logicals)
                defer { try? handle.close() }
                let result = try catalog.importLogicals(ByteStream(handle))
                guard result.imported == 20_000 else {
                    throw BenchError("the import is incomplete")
                }
            })
        let baseline = try files.timeOfInserting(runs: options.runs)
        report.add("import of 20,000 logicals", own.time, baseline: baseline, limit: Self.limit)
        let bytes = try files.logicals.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        report.add("logicals file", Double(bytes) / 1e6, "MB")
    }

    private func updatingLoads(
        _ files: CatalogFiles, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let catalog = try CatalogDatabase.open(path: files.catalog.path, names: .english)
        let own = try Stopwatch.median(runs: options.runs) {
            let handle = try FileHandle(forReadingFrom: files.loads)
            defer { try? handle.close() }
            let result = try catalog.importLoads(ByteStream(handle))
            guard result.imported == 20_000 else { throw BenchError("not all loads were imported") }
        }
        let baseline = try files.timeOfUpdating(runs: options.runs)
        report.add("loads of 20,000 servers", own.time, baseline: baseline, limit: Self.limit)
    }
}
