import Foundation
package import GRDB
import KeyValueStore
package import Replication

/// Keys and values: `Logs.db`.
package struct KeyValueModel: DataModel {
    package let kind = DatabaseKind.logs
    package let table: LogTable? = nil
    /// A rebuilt log is renumbered even if all rows are readable. Otherwise, the numbers could
    /// still have a gap, and readers stop at a gap.
    package let keepsRowNumbers = false

    package init() {}

    package func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        [
            KeyValuePart(
                package: package, device: session.device, isWritable: session.isWritable,
                blobs: session.blobs)
        ]
    }

    package func info(of package: StorePackage) throws -> StoreInfo.Section {
        try .keyValue(package)
    }

    package func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .mergeRows(ofCopyAt: path, into: package)
    }

    package func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        nil
    }

    package func comparisons(of packages: ComparedPackages) async throws -> [any Comparison] {
        let stores = try await packages.stores(KeyValuePart.self)
        return [KeyComparison(from: stores.from, to: stores.to, prefix: packages.prefix)]
    }

    package var tables: [Set<String>] { [["meta", "log", "latest"], ["zlog", "z_primarykey"]] }

    /// Appends the rows of the other version to our log, as merging a conflict copy does.
    package func combined(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase
    ) throws -> DetachedDatabase.Combined? {
        try ours.combined { package in
            var configuration = KeyValueStore.Configuration()
            configuration.watchesFolder = false
            let store = KeyValueStore(
                package: package, device: ours.device, configuration: configuration)
            try store.load()
            // The name of the folder must be the name of the device.
            let folder = URL(filePath: package.path).appending(path: "Theirs/\(ours.device.name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let copy = folder.appending(path: kind.fileName).path
            try FileManager.default.copyItem(atPath: theirs.path, toPath: copy)
            let count = try store.merge(logAt: copy)
            try store.close()
            return count
        }
    }

    package func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(keyValueLog: db)
    }

    package func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        doctor.note(kind, package, &findings) {
            var configuration = KeyValueStore.Configuration()
            configuration.watchesFolder = false
            let store = KeyValueStore(
                package: package, device: nil, configuration: configuration)
            try store.load()
            return store.devices
        }
    }

    package func salvage(ofFileAt path: String) -> (any Salvage.Type)? {
        SalvagedLog.isParstore(path) ? nil : SalvagedLog.self
    }
}
