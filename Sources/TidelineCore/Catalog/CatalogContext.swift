import KeyValueStore
import Replication
import ServerCatalogGRDB
import Synchronization

/// The catalogs of a store: the shown catalog, and the device's own catalog, which can be changed.
final class CatalogContext: Sendable {
    /// The shown catalog.
    let catalog: CatalogConnection
    /// The package; `nil` for a single file.
    let package: StorePackage?
    let writing: WriteAccess
    var device: DeviceID? { writing.device }
    private let state: Mutex<State>

    private struct State {
        /// The device whose catalog is shown.
        var shown: DeviceID?
        /// The devices of the package that have a catalog.
        var devices: [DeviceID] = []
        /// The display names of the package's devices.
        var names: [DeviceID: String] = [:]
        /// The stamp of the catalog after the last write of this session.
        var written: FileStamp?
        var onChange: (@Sendable () -> Void)?
    }

    /// Creates the context of a single catalog file.
    init(file: String, device: DeviceID?, isWritable: Bool) {
        catalog = CatalogConnection(path: file, store: file)
        package = nil
        writing = WriteAccess(as: device, isUnlocked: isWritable)
        state = Mutex(State())
    }

    /// Creates the context of a package's catalogs. Shows the device's own catalog or, if the
    /// device has none, the first catalog.
    ///
    /// - Returns: `nil` for a package without a catalog.
    init?(package: StorePackage, device: DeviceID?, isWritable: Bool) {
        guard let found = try? CatalogLocation.catalogs(in: package), let first = found.first
        else { return nil }
        let shown = found.first { $0.id == device } ?? first
        catalog = CatalogConnection(path: shown.path(of: .catalog), store: package.path)
        self.package = package
        writing = WriteAccess(as: device, isUnlocked: isWritable)
        state = Mutex(
            State(shown: shown.id, devices: found.map(\.id), names: package.deviceNames()))
    }

    /// The devices of the package that have a catalog.
    var devices: [DeviceID] { state.withLock { $0.devices } }

    /// The device whose catalog is shown; `nil` for a single file.
    var shown: DeviceID? { state.withLock { $0.shown } }

    /// Whether this device's own catalog is shown.
    var isOwnShown: Bool { package != nil && shown == device }

    /// The owner of the shown catalog; `nil` if it is this device.
    var owner: DeviceID? { isOwnShown ? nil : shown }

    /// Returns the display name of a device.
    func name(of device: DeviceID) -> String {
        state.withLock { $0.names[device] } ?? device.name
    }

    /// The note that names the owner of the shown catalog; `nil` if the owner is obvious.
    var choiceNote: String? {
        guard let owner else { return nil }
        let isShown = "showing \(name(of: owner))'s catalog"
        let others = devices.filter { $0 != owner }
        guard others.isEmpty else {
            return "\(isShown); to show another one: :\(ListCommand.chooseCatalog.name) "
                + others.map(\.name).joined(separator: " or ")
        }
        return device.map { _ in "\(isShown), because this device has none" }
    }

    /// Finds the catalogs again, since devices may have added or deleted some.
    func look() {
        guard let package, let found = try? CatalogLocation.catalogs(in: package) else { return }
        let names = package.deviceNames()
        state.withLock { ($0.devices, $0.names) = (found.map(\.id), names) }
    }

    /// Calls `body` after changes that this session makes.
    func onChange(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onChange = body }
    }

    func show(_ device: DeviceID, at path: String) {
        catalog.show(path)
        look()
        state.withLock { $0.shown = device }
        reportChange()
    }

    /// Shows the catalog after a write of this session.
    func noteWritten(_ location: CatalogLocation) {
        let stamp = try? FileStamp(ofFileAt: location.file)
        state.withLock { $0.written = stamp }
        if let device = location.device {
            show(device, at: location.file)
        } else {
            reportChange()
        }
    }

    private func reportChange() { state.withLock { $0.onChange }?() }

    /// Returns whether this session wrote the state of the catalog with this stamp.
    func hasWritten(_ stamp: FileStamp?) -> Bool {
        stamp != nil && state.withLock { $0.written } == stamp
    }

    // MARK: Commands

    /// The commands of the pane, each with the reason if it isn't possible.
    var offers: [ListCommand: CommandOffer] {
        let writing = Availability.writing(as: device, isWritable: true, unless: whyNotChanged)
        let existing = hasOwn || device == nil ? writing : .unavailable(because: whyNotThere)
        return [
            .importServers: CommandOffer(writing), .refreshLoads: CommandOffer(existing),
            .pruneServers: CommandOffer(existing), .rebuildCatalog: CommandOffer(existing),
            .chooseCatalog: choice,
        ]
    }

    /// Whether the catalog that this device can write exists.
    private var hasOwn: Bool { package == nil || devices.contains { $0 == device } }

    /// The reason why this device's catalog can't be changed while another catalog is shown.
    private var whyNotChanged: String? {
        guard let owner, let device, hasOwn else { return nil }
        let name = name(of: owner)
        return "\(name)'s catalog is shown, and only \(name) can change it; "
            + "run :\(ListCommand.chooseCatalog.name) \(device)"
    }

    private var whyNotThere: String {
        "this device has no catalog yet; create one with :\(ListCommand.importServers.name)"
    }

    private var choice: CommandOffer {
        let others = devices.filter { $0 != shown }
        guard !others.isEmpty else {
            return CommandOffer(
                .unavailable(
                    because: package == nil
                        ? "this is a single catalog" : "the package has no other catalog"))
        }
        return CommandOffer(choices: others.map(\.name))
    }
}

extension ListCommand {
    static let importServers = ListCommand(
        name: "import-servers", title: "Import servers from a file", argument: "FILE",
        pane: .servers)
    static let refreshLoads = ListCommand(
        name: "refresh-loads", title: "Refresh the loads of servers from a file",
        argument: "FILE", pane: .servers)
    static let pruneServers = ListCommand(
        name: "prune-servers", title: "Delete the servers that a file doesn't list",
        argument: "[MAX-TIER] FILE", pane: .servers)
    static let rebuildCatalog = ListCommand(
        name: "rebuild-catalog", title: "Replace the server catalog with an empty one",
        pane: .servers)
    static let chooseCatalog = ListCommand(
        name: "choose-catalog", title: "Show another device's server catalog",
        argument: "DEVICE", pane: .servers, writes: false)

    /// The commands of the Servers pane.
    static let ofCatalog = [
        importServers, refreshLoads, pruneServers, rebuildCatalog, chooseCatalog,
    ]
}
