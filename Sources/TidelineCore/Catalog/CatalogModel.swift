package import Replication
import ServerCatalogGRDB

/// A device's own server catalog: `Catalog.db`, which is never merged.
package struct CatalogModel: DataModel {
    package let kind = DatabaseKind.catalog
    package let table: LogTable? = nil
    /// The catalog is read on request, so the session only reports writes to its file.
    package let unfollowedName: String? = "catalog"

    package let commands = ListCommand.ofCatalog

    package init() {}

    package func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        let context = CatalogContext(
            package: package, device: session.device, isWritable: session.isWritable)
        return context.map { [CatalogPart($0)] } ?? []
    }

    package func info(of package: StorePackage) throws -> StoreInfo.Section {
        try .catalogs(package)
    }

    package func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        "import its servers again with tideline servers import"
    }

    /// A package has only one state of each catalog, so there is nothing to compare in it.
    package func comparisons(of packages: ComparedPackages) async throws -> [any Comparison] {
        guard !packages.isOne else { return [] }
        return try ServerComparison.comparisons(
            of: packages.from, packages.to, prefix: packages.prefix)
    }

    package func examine(
        _ file: Doctor.DeviceDatabase, by doctor: Doctor, _ findings: inout DoctorFindings
    ) throws {
        try doctor.examineCatalog(file, &findings)
    }

    package func isComplete(_ path: String) throws -> Bool {
        _ = try CatalogDatabase.unreadableOverrides(path: path)
        return true
    }
}
