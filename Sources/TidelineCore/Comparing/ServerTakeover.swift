import Replication
import ServerCatalog
import ServerCatalogGRDB

/// Copies servers from another catalog to the device's own catalog.
struct ServerTakeover: Takeover {
    let context: CatalogContext
    /// The path of the other store.
    let path: String
    /// The other store, if it is a package.
    let package: StorePackage?

    /// A server, and the catalogs in which it is compared.
    private struct Place {
        let id: String
        /// The device that owns both catalogs; `nil` for single files.
        let device: DeviceID?
        let file: String
        let otherFile: String
    }

    var availability: Availability { context.writing.availability }

    func preview(_ differences: [StoreDifference], _ edit: Edit) async throws -> EditPreview {
        let place = try place(of: differences)
        let wasInOther = differences.contains(where: \.wasInFirst)
        guard place.device == nil || place.device == context.device else {
            let owner = place.device.map { context.name(of: $0) } ?? ""
            throw EditError(.readOnly, "only \(owner) can change its catalog")
        }
        return try context.preview(
            edit, takingOver: place.id, from: place.otherFile, mayDelete: !wasInOther)
    }

    func apply(
        _ preview: EditPreview, _ differences: [StoreDifference]
    ) async throws -> AppliedEdit {
        try context.apply(preview)
    }

    func updated(_ differences: [StoreDifference]) async throws -> [StoreDifference] {
        let places = try differences.map { try place(of: [$0]) }
        var updated = differences
        for (file, indices) in Dictionary(grouping: places.indices, by: { places[$0].file }) {
            let servers = try CatalogContext.servers(
                indices.map { places[$0].id }, inCatalogAt: file)
            for (index, server) in zip(indices, servers) {
                let device = places[index].device
                var side = StoreDifference.Side(server: server?.json, device: device)
                // At least one side must name the device, because the device identifies the
                // catalogs.
                if updated[index].from.device == nil { side.device = device }
                updated[index].note(side)
            }
        }
        return updated
    }

    private func place(of differences: [StoreDifference]) throws -> Place {
        guard let difference = differences.first, case .server(let id) = difference.subject else {
            throw EditError(.unsupported, "this is not a server")
        }
        let device = difference.from.device ?? difference.to.device
        guard let device, let own = context.package, let package else {
            return Place(
                id: id, device: nil, file: context.catalog.path,
                otherFile: StoreKind.resolved(path))
        }
        return Place(
            id: id, device: device, file: try own.device(device).path(of: .catalog),
            otherFile: try package.device(device).path(of: .catalog))
    }
}
