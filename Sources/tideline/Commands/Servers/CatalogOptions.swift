import ArgumentParser
import CommandSupport
import Replication
import ServerCatalogGRDB
import TidelineCore

/// A catalog to read.
struct CatalogToRead: ParsableArguments {
    @OptionGroup var store: PathArgument

    @Option(
        name: .long,
        help: "In a package, the device whose catalog to read (default: your own, or the only one)."
    )
    var device: String?

    func read<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try store.explaining {
            let location = try CatalogLocation(
                reading: store.path, of: try device.map { try store.device(named: $0) },
                else: try DeviceOption.forReading())
            return try body(try location.openForReading())
        }
    }
}

/// A catalog to write. The change journal doesn't record imports, because their undo data is too
/// large.
struct CatalogToWrite: ParsableArguments {
    @OptionGroup var store: PathArgument
    @OptionGroup var device: DeviceOption

    /// Returns the location of the catalog. In a package, this is the catalog of the writing
    /// device.
    func location() throws -> CatalogLocation {
        try CatalogLocation(writing: store.path) { try device.forWriting(to: store.path) }
    }

    /// Runs `body` on an existing catalog.
    func change<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try store.explaining {
            try body(try open(try location()))
        }
    }

    /// Runs `body` on the catalog. A single file must exist. In a package, a device's first catalog
    /// is created, as by `CatalogLocation.fill`.
    func fill<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try store.explaining {
            let location = try location()
            guard location.device != nil, !location.exists else { return try body(open(location)) }
            return try location.fill(willAddDevice: notice(of: location), body)
        }
    }

    private func open(_ location: CatalogLocation) throws -> CatalogDatabase {
        guard location.exists else {
            guard let device = location.device else {
                throw Failure(
                    .noSuchFile, store.path, "no such file or folder",
                    suggestion: "to create it: tideline servers create \(store.path)")
            }
            throw CoreError(
                .notFound, "\(device) has no server catalog in \(store.path)",
                suggestion: "to fill one: tideline servers import \(store.path) FILE")
        }
        return try location.openForWriting()
    }

    /// Returns an observer that prints a notice if the device is new to the package.
    func notice(of location: CatalogLocation) -> StorePackage.DeviceObserver? {
        location.device.map { NewDevice.notice($0, store.path) }
    }
}

extension PathArgument {
    /// Runs `body` and adds hints to the errors of a catalog.
    func explaining<Value>(
        _ what: String? = nil, _ body: () throws -> Value
    ) throws -> Value {
        try Failure.of(what ?? path) { try CatalogFailure.explaining(path, body) }
    }
}
