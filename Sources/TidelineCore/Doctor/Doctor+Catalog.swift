import Replication
import ServerCatalog
import ServerCatalogGRDB

extension Doctor {
    /// Checks a server catalog.
    ///
    /// - Throws: An error if the file can't be read.
    func examineCatalog(_ place: DeviceDatabase, _ findings: inout DoctorFindings) throws {
        do {
            try examineCatalog(at: place.path, as: place.file, of: place.device, &findings)
        } catch let error as ServerCatalogError {
            let isNewer = error.code == .newerSchema
            findings.add(
                isNewer ? "newer-form" : "form", .error, place.file, of: place.device,
                error.message,
                advice: isNewer ? "update this program" : Self.importServers)
        }
    }

    /// Checks the rows of a server catalog.
    func examineCatalog(
        at path: String, as file: String, of device: DeviceID? = nil,
        _ findings: inout DoctorFindings
    ) throws {
        let broken = try CatalogDatabase.unreadableOverrides(path: path)
        if broken.count > 0 {
            findings.add(
                "json", .warning, file, of: device,
                "invalid protocol JSON in \(Counted.text(broken.count, "endpoint")): "
                    + broken.endpoints.map(\.quoted).joined(separator: ", ")
                    + (broken.count > broken.endpoints.count ? ", …" : ""),
                advice: Self.importServers)
        }
        let catalog = try CatalogDatabase.openForReading(path: path)
        _ = try catalog.servers(orderedBy: .none, limit: 1)
    }

    private static let importServers = "import the servers again with tideline servers import"
}
