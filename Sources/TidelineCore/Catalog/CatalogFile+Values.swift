import ServerCatalog
import ServerCatalogGRDB

extension CatalogFile {
    /// What is known to be the value of a field of the servers' filter.
    ///
    /// - Parameters:
    ///   - filter: What leaves the servers whose values count.
    ///   - group: A group that they are of; empty: any.
    /// - Throws: As ``read(_:)``.
    /// - Complexity: All of these servers.
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
                    let subject = ServerSubject(server: server, names: names)
                    values.formUnion(subject.texts(of: field.name))
                }
            }
            return Array(values)
        }
    }
}
