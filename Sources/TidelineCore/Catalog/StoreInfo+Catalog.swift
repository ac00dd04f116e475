import Replication
import ServerCatalog
import ServerCatalogGRDB

extension StoreInfo.Section {
    /// How many servers the catalogs of a package's devices have, where there are any.
    static func catalogs(_ package: StorePackage) throws -> Self {
        var section = Self()
        for device in try package.devices() where device.has(.catalog) {
            section.addCatalog(device.path(of: .catalog), "\(device.id): servers")
        }
        return section
    }

    /// What there is to say of a catalog's file.
    static func catalog(_ file: String) -> Self {
        var section = Self()
        section.addCatalog(file, "servers")
        return section
    }

    /// A file that cannot be read is a problem among the others.
    private mutating func addCatalog(_ file: String, _ name: String) {
        do {
            let catalog = try CatalogDatabase.openForReading(path: file)
            let count = try catalog.serverCount()
            // Servers that are counted can be listed, or the catalog is not what it says.
            _ = try catalog.servers(orderedBy: .none, limit: 1)
            counts["servers", default: 0] += count
        } catch {
            problems.append("\(name): \((error as? ServerCatalogError)?.message ?? "\(error)")")
        }
    }
}
