import Foundation
import GRDB
public import ServerCatalog

extension CatalogDatabase {
    /// Adds and replaces the servers of a logicals file, in one transaction.
    ///
    /// The file is read a piece at a time. A record that cannot be understood is left out and
    /// reported; a file that is not such a JSON object, or ends too early, changes nothing.
    ///
    /// - Parameters:
    ///   - maxTier: If given, servers of tiers up to it that the file does not list are deleted;
    ///     a record that is bad but has an identifier counts as listed.
    ///   - metadata: What to remember with the same transaction.
    /// - Throws: `ServerCatalogError`; `.badFile` for the file.
    /// - Complexity: O(*n*) in the size of the file; memory for one record, of 1 MiB at most.
    public func importLogicals(
        _ stream: ByteStream, deletingOthersUpToTier maxTier: Int? = nil,
        metadata: [CatalogMetadataKey: String] = [:]
    ) throws -> ImportReport {
        try write { db in
            let writer = try CatalogWriter(db)
            let listed = try maxTier.map { _ in try ListedServers(db) }
            var records = CatalogFileReader.logicals(stream)
            var report = ImportReport()
            while let record = try records.next() {
                switch record {
                case .good(let server):
                    try writer.upsert(server)
                    try listed?.insert(server.id)
                    report.add(server)
                case .bad(let record, let id):
                    if let id { try listed?.insert(id) }
                    report.add(record)
                }
            }
            if let maxTier, let listed {
                report.deleted = try listed.deleteOthers(maxTier: maxTier)
            }
            for (key, value) in metadata { try Self.setMetadata(value, for: key, in: db) }
            return report
        }
    }

    /// Takes over a complete list of the free servers or of all, in one transaction.
    ///
    /// What the list covers and does not have is deleted. A missing `lastModified` leaves what is
    /// remembered.
    ///
    /// - Throws: As ``importLogicals(_:deletingOthersUpToTier:metadata:)``.
    /// - Complexity: As ``importLogicals(_:deletingOthersUpToTier:metadata:)``.
    public func refresh(
        _ kind: CatalogRefresh, logicals stream: ByteStream, lastModified: String? = nil
    ) throws -> ImportReport {
        var metadata: [CatalogMetadataKey: String] = [:]
        for key in kind.metadataKeys { metadata[key] = lastModified }
        return try importLogicals(
            stream, deletingOthersUpToTier: kind.maxTier, metadata: metadata)
    }

    /// Replaces the status of servers by a loads file's, in one transaction.
    ///
    /// Lenient and all or nothing, as ``importLogicals(_:deletingOthersUpToTier:metadata:)`` is.
    ///
    /// - Throws: As ``importLogicals(_:deletingOthersUpToTier:metadata:)``.
    /// - Complexity: O(*n*) in the size of the file; memory for one record.
    public func importLoads(_ stream: ByteStream) throws -> ImportReport {
        try write { db in
            let writer = try CatalogWriter(db)
            var records = CatalogFileReader.loads(stream)
            var report = ImportReport()
            while let record = try records.next() {
                switch record {
                case .good(let load):
                    if try writer.update(load) {
                        report.imported += 1
                    } else {
                        report.unknown += 1
                    }
                case .bad(let record, _): report.add(record)
                }
            }
            return report
        }
    }

    /// Deletes the servers of tiers up to `maxTier` that a logicals file does not list.
    ///
    /// - Returns: A report whose `ImportReport.deleted` counts them.
    /// - Throws: As ``importLogicals(_:deletingOthersUpToTier:metadata:)``.
    /// - Complexity: O(*n*) in the size of the file and the number of servers.
    public func prune(_ stream: ByteStream, maxTier: Int) throws -> ImportReport {
        try write { db in
            let listed = try ListedServers(db)
            var records = CatalogFileReader.identifiers(stream)
            var report = ImportReport()
            while let record = try records.next() {
                switch record {
                case .good(let id): try listed.insert(id)
                case .bad(let record, _): report.add(record)
                }
            }
            report.deleted = try listed.deleteOthers(maxTier: maxTier)
            return report
        }
    }
}
