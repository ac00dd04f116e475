import Foundation
import Replication

/// What belongs to a package as a whole and to none of its stores: its devices, its blobs.
final class PackagePart: SessionPart {
    let panes: [Pane]
    private let stores: [any SessionPart]

    /// - Parameter stores: The parts of the package that tell of devices.
    init(_ package: StorePackage, stores: [any SessionPart]) {
        self.stores = stores
        panes = [
            Pane(
                .devices,
                DevicesSource { SessionStatus.Device.merging(stores.flatMap(\.status.devices)) }),
            Pane(.blobs, BlobsSource(package)),
        ]
    }

    var status: PartStatus {
        let devices = SessionStatus.Device.merging(stores.flatMap(\.status.devices))
        return PartStatus(phase: nil, counts: [.devices: devices.count])
    }

    // What happens to blobs, and to the package itself, is told by the stores that follow it.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {}
    func reload() async {}
    func close() async {}
}

extension PaneID {
    /// The devices of a package.
    public static let devices = PaneID("devices", of: "package")
    /// The files under `Blobs/`.
    public static let blobs = PaneID("blobs", of: "package")
}
