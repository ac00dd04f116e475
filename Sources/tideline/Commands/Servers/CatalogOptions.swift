import CommandSupport
import Replication
import ArgumentParser
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TidelineCore

/// A catalog to read.
struct CatalogToRead: ParsableArguments {
    @OptionGroup var store: PathArgument

    @Option(
        name: .long,
        help: "In a package, the device whose catalog it is (else your own, or the only one).")
    var device: String?

    /// What `body` returns of the catalog.
    func read<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try store.explaining {
            let location = try CatalogLocation(
                reading: store.path, of: try device.map { try DeviceID($0) },
                else: try UserState().deviceForReading(option: nil))
            return try body(try location.openForReading())
        }
    }
}

/// A catalog to write.
struct CatalogToWrite: ParsableArguments {
    @OptionGroup var store: PathArgument
    @OptionGroup var device: DeviceOption

    /// Where the catalog is or will be; in a package, the device's own.
    func location() throws -> CatalogLocation {
        try CatalogLocation(writing: store.path) { try device.forWriting() }
    }

    /// Runs `body` on the catalog, which must be there.
    func change<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try store.explaining {
            try body(try open(try location()))
        }
    }

    /// Runs `body` on the catalog. A file must be there; a device's first catalog in a package is
    /// made once `body` is through, so that nothing is left of one that fails.
    func fill<Value>(_ body: (CatalogDatabase) throws -> Value) throws -> Value {
        try store.explaining {
            let location = try location()
            guard location.device != nil, !location.exists else { return try body(open(location)) }
            let first = try CatalogDatabase.inMemory()
            let value = try body(first)
            try prepare(location)
            try first.persist(to: location.file)
            return value
        }
    }

    private func open(_ location: CatalogLocation) throws -> CatalogDatabase {
        guard location.exists else {
            guard let device = location.device else {
                throw Failure(
                    .noInput, store.path, "no such file or folder",
                    wayOut: "Make it with: tideline servers create \(store.path)")
            }
            throw CoreError(
                .notFound, "\(device) has no server catalog in it",
                wayOut: "Fill one with: tideline servers import \(store.path) FILE")
        }
        return try location.openForWriting()
    }

    /// Says so when this device is new to the package, and makes its folder.
    func prepare(_ location: CatalogLocation) throws {
        if let device = try location.newDevice() { NewDevice.isTold(device, store.path) }
        try location.makeFolder()
    }
}

extension PathArgument {
    /// What `body` returns; an error of a catalog knows the way out.
    func explaining<Value>(
        _ what: String? = nil, _ body: () throws -> Value
    ) throws -> Value {
        try Failure.of(what ?? path) { try CatalogFailure.explaining(path, body) }
    }
}
