import ServerCatalog
import ServerCatalogGRDB

extension StoreInfo.Section {
    /// Reads the counts and problems of a catalog's file.
    static func catalog(_ file: String) -> Self {
        var section = Self()
        section.addCatalog(file, "servers")
        return section
    }

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
