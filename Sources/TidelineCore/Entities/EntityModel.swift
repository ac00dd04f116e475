import EntityStore
package import GRDB
package import Replication

/// Entities: `Entities.db`.
package struct EntityModel: DataModel {
    package let kind = DatabaseKind.entities
    package let table: LogTable? = LogTable(name: "log", mark: "timestamp")

    package init() {}

    package func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        [
            EntitiesPart(
                package: package, device: session.device, isWritable: session.isWritable,
                arrivals: session.arrivals)
        ]
    }

    package func info(of package: StorePackage) throws -> StoreInfo.Section {
        try .entities(package)
    }

    package func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .importEntities(ofCopyAt: path, into: package)
    }

    package func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        let copied = suggestion(forCopyAt: path, in: package)
        return Suggestion("merge its rows", copied.action, paths: copied.paths)
    }

    package func comparisons(of packages: ComparedPackages) async throws -> [any Comparison] {
        guard try packages.contain(kind) else { return [] }
        let stores = try await packages.stores(EntitiesPart.self)
        return [EntityComparison(from: stores.from, to: stores.to, prefix: packages.prefix)]
    }

    package var tables: [Set<String>] { [["meta", "log", "names"]] }

    package func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(entityLog: db)
    }

    package func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        doctor.note(kind, package, &findings) { try EntitySummary.read(package: package).devices }
    }

    package func salvage(ofFileAt path: String) -> (any Salvage.Type)? { SalvagedEntityLog.self }
}
