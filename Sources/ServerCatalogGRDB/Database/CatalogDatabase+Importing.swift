public import ServerCatalog

extension CatalogDatabase {
    /// Adds and replaces the servers of a logicals file, in one transaction.
    ///
    /// The file is read in pieces. Invalid records are skipped and reported. If the file is
    /// incomplete or doesn't have the expected JSON structure, nothing changes.
    ///
    /// - Parameters:
    ///   - maxTier: If set, servers up to this tier that the file does not list are deleted. An
    ///     invalid record with an identifier counts as listed. If a record has no identifier, no
    ///     server is deleted, because the record may belong to any server.
    ///   - metadata: Values to store in the same transaction.
    /// - Throws: `ServerCatalogError`; `.badFile` for the file.
    /// - Complexity: O(*n*) in the size of the file. Memory for one record, at most 1 MiB.
    public func importLogicals(
        _ stream: ByteStream, deletingOthersUpToTier maxTier: Int? = nil,
        metadata: [CatalogMetadataKey: String] = [:]
    ) throws -> ImportReport {
        try write { db in
            let writer = try CatalogWriter(db)
            let listed = try maxTier.map { _ in try ListedServers(db) }
            var records = CatalogFileReader.logicals(stream)
            var report = ImportReport()
            var isComplete = true
            while let record = try records.next() {
                switch record {
                case .good(let server):
                    try writer.upsert(server)
                    try listed?.insert(server.id)
                    report.add(server)
                case .bad(let record, let id):
                    if let id { try listed?.insert(id) } else { isComplete = false }
                    report.add(record)
                }
            }
            if let maxTier, let listed, isComplete {
                report.deleted = try listed.deleteOthers(maxTier: maxTier)
            }
            for (key, value) in metadata { try Self.setMetadata(value, for: key, in: db) }
            return report
        }
    }

    /// Imports a complete list of the free servers or of all servers, in one transaction.
    ///
    /// Unlisted servers of the tiers that the list covers are deleted. Without `lastModified`, the
    /// stored header is kept.
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

    /// Updates the status of servers from a loads file, in one transaction.
    ///
    /// Invalid records are skipped and reported. If the file is invalid, nothing changes.
    ///
    /// - Throws: As ``importLogicals(_:deletingOthersUpToTier:metadata:)``.
    /// - Complexity: O(*n*) in the size of the file. Memory for one record.
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
    /// A file without servers is refused, because it is probably a mistake of the service. To
    /// delete all servers, use ``delete(serversNotIn:maxTier:)``.
    ///
    /// - Returns: A report with the number of deleted servers in `ImportReport.deleted`.
    /// - Throws: `ServerCatalogError`; `.badFile` also if the file lists no servers, or if a record
    ///   has no identifier, because such a record may belong to any server.
    /// - Complexity: O(*n*) in the size of the file and the number of servers.
    public func prune(_ stream: ByteStream, maxTier: Int) throws -> ImportReport {
        try write { db in
            let listed = try ListedServers(db)
            var records = CatalogFileReader.identifiers(stream)
            var report = ImportReport()
            var isEmpty = true
            while let record = try records.next() {
                switch record {
                case .good(let id):
                    try listed.insert(id)
                    isEmpty = false
                case .bad(let record, _):
                    throw ServerCatalogError(
                        .badFile,
                        "record \(record.index + 1) has no readable identifier, so no server is "
                            + "deleted: \(record.reason)")
                }
            }
            guard !isEmpty else {
                throw ServerCatalogError(
                    .badFile, "the file lists no servers, so no server is deleted")
            }
            report.deleted = try listed.deleteOthers(maxTier: maxTier)
            return report
        }
    }
}
