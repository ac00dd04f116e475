import ServerCatalog
import ServerCatalogGRDB

extension CatalogConnection {
    /// Returns the known values of a field of the servers' filter.
    ///
    /// - Parameters:
    ///   - filter: The filter. Only values of matching servers are returned.
    ///   - group: The group of these servers; empty for any group.
    /// - Throws: The errors of ``read(_:)``.
    /// - Complexity: O(*n*) in the number of these servers.
    func values(
        of field: FilterField, passing filter: CatalogFilter, among group: [VPNServerFilter] = []
    ) throws -> [String] {
        let asked = ["country", "entry", "exit", "city", "gateway", "tier", "maxtier"]
        guard asked.contains(field.name) else { return [] }
        return try read { catalog in
            let names = catalog.names
            var values: Set<String> = []
            for server in try catalog.servers(passing: filter, among: group) {
                if field.kind == .number {
                    values.insert(String(server.logical.tier))
                } else {
                    let listed = ListedServer(server: server, names: names)
                    values.formUnion(ListedServer.schema.texts(of: listed, for: field.name))
                }
            }
            return Array(values)
        }
    }
}
