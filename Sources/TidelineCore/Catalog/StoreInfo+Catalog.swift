import Replication
import ServerCatalog
import ServerCatalogGRDB

extension StoreInfo {
    /// Adds how many servers the catalogs of a package's devices have, where there are any.
    mutating func describeCatalogs(_ package: StorePackage) throws {
        for device in try package.devices() where device.has(.catalog) {
            describeCatalog(device.path(of: .catalog), "\(device.id): servers")
        }
    }

    /// Tells of a catalog's file; one that cannot be read is a problem among the others.
    mutating func describeCatalog(_ file: String, _ name: String = "servers") {
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
