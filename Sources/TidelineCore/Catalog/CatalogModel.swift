import Replication
import ServerCatalog
import ServerCatalogGRDB

/// A device's own server catalog: `Catalog.db`, which is never merged.
struct CatalogModel: DataModel {
    let kind = DatabaseKind.catalog
    let table: LogTable? = nil
    /// The catalog is read when it is requested, so no part follows its rows.
    let unfollowedName: String? = "catalog"

    let commands = ListCommand.ofCatalog

    func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        let context = CatalogContext(
            package: package, device: session.device, isWritable: session.isWritable)
        return context.map { [CatalogPart($0)] } ?? []
    }

    func singleStore(at path: String, bytes: [UInt8], tables: Set<String>) -> SingleStore? {
        guard tables.isSuperset(of: ["logical", "endpoint", "logicalstatus"]) else { return nil }
        return SingleStore(
            name: "catalog", format: "sqlite", place: path,
            parts: { opener in
                let context = CatalogContext(
                    file: path, device: opener.device, isWritable: opener.isWritable)
                return [CatalogPart(context)]
            },
            info: {
                var section = try StoreInfo.Section.tables(path)
                section.addCatalog(path, "servers")
                return section
            },
            comparisons: comparisons,
            examine: { doctor, findings in
                doctor.examineDatabaseFile(&findings) {
                    try doctor.examineCatalog(at: $0, as: doctor.path, &$1)
                }
            })
    }

    func info(of package: StorePackage) throws -> StoreInfo.Section {
        var section = StoreInfo.Section()
        for device in try package.devices() where device.has(kind) {
            section.addCatalog(device.path(of: kind), "\(device.id): servers")
        }
        return section
    }

    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        "import its servers again with tideline servers import"
    }

    /// A package has only one state of each catalog, so there is nothing to compare in it.
    func comparisons(of stores: ComparedStores) async throws -> [any Comparison] {
        guard let (from, to) = stores.packages else {
            let (old, new) = try stores.comparison.presentPaths()
            return [
                ServerComparison(
                    from: StoreKind.resolved(old), to: StoreKind.resolved(new),
                    prefix: stores.prefix)
            ]
        }
        if stores.isOne { return [] }
        return try ServerComparison.comparisons(of: from, to, prefix: stores.prefix)
    }

    func examine(
        _ file: Doctor.DeviceDatabase, by doctor: Doctor, _ findings: inout DoctorFindings
    ) throws {
        try doctor.examineCatalog(file, &findings)
    }

    func isComplete(_ path: String) throws -> Bool {
        _ = try CatalogDatabase.unreadableOverrides(path: path)
        return true
    }
}

extension StoreInfo.Section {
    /// Adds the number of servers in a catalog. An unreadable file is added as a problem.
    mutating func addCatalog(_ file: String, _ name: String) {
        do {
            let catalog = try CatalogDatabase.openForReading(path: file)
            let count = try catalog.serverCount()
            // Check that the counted servers can be read.
            _ = try catalog.servers(orderedBy: .none, limit: 1)
            counts["servers", default: 0] += count
        } catch {
            problems.append("\(name): \((error as? ServerCatalogError)?.message ?? "\(error)")")
        }
    }
}
