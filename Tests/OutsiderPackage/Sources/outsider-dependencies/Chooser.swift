import Dependencies
import Foundation
import ServerCatalog
import ServerCatalogGRDB

// begin
extension ServerRepository: @retroactive DependencyKey {
    public static let liveValue = ServerRepository()
    public static let testValue = ServerRepository()
}

extension DependencyValues {
    public var serverRepository: ServerRepository {
        get { self[ServerRepository.self] }
        set { self[ServerRepository.self] = newValue }
    }
}

struct Chooser {
    @Dependency(\.serverRepository) private var repository

    func fastest() throws -> VPNServer? {
        try repository.getFirstServer(filteredBy: [.isNotUnderMaintenance], orderedBy: .fastest)
    }
}

@main struct ChoosingProgram {
    static func main() throws {
        let folder = FileManager.default.temporaryDirectory
        let catalogPath = folder.appending(path: "catalog-\(UUID()).db").path
        defer { try? FileManager.default.removeItem(atPath: catalogPath) }
        let catalog = try CatalogDatabase.open(path: catalogPath)
        prepareDependencies { $0.serverRepository = catalog.repository }
        // end
        try catalog.repository.upsert(servers: SampleServers(count: 10).servers())
        print(try Chooser().fastest() == nil ? "no server" : "a server")
    }
}
