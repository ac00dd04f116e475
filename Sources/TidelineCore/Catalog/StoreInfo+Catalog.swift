import Replication
import ServerCatalog
import ServerCatalogGRDB

extension StoreInfo.Section {
    /// Counts the servers in the catalogs of a package's devices, if there are any.
    static func catalogs(_ package: StorePackage) throws -> Self {
        var section = Self()
        for device in try package.devices() where device.has(.catalog) {
            section.addCatalog(device.path(of: .catalog), "\(device.id): servers")
        }
        return section
    }

    /// Reads the counts and problems of a catalog's file.
    static func catalog(_ file: String) -> Self {
        var section = Self()
        section.addCatalog(file, "servers")
        return section
    }

    /// Adds the number of servers in a catalog. An unreadable file is added as a problem.
    private mutating func addCatalog(_ file: String, _ name: String) {
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
