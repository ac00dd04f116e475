import Foundation
import GRDB
import KeyValueStore
import Replication

/// Keys and values: `Logs.db`.
struct KeyValueModel: DataModel {
    let kind = DatabaseKind.logs
    let table: LogTable? = nil
    /// A rebuilt log is renumbered even if all rows are readable. Otherwise, the numbers could
    /// still have a gap, and readers stop at a gap.
    let keepsRowNumbers = false

    func parts(
        of package: StorePackage, in session: PackageSession
    ) -> [any SessionPart] {
        [
            KeyValuePart(
                package: package, device: session.device, isWritable: session.isWritable,
                blobs: session.blobs)
        ]
    }

    func info(of package: StorePackage) throws -> StoreInfo.Section {
        let store = try KeyValueStore.loaded(package)
        return StoreInfo.Section(
            counts: ["keys": store.count, "conflicts": store.conflictCount],
            devices: store.devices.map(DeviceReport.init))
    }

    func suggestion(forCopyAt path: String, in package: StorePackage) -> Suggestion {
        .mergeRows(ofCopyAt: path, into: package)
    }

    func suggestion(forRestAt path: String, in package: StorePackage) -> Suggestion? {
        nil
    }

    func comparisons(of stores: ComparedStores) async throws -> [any Comparison] {
        let (from, to) = try await stores.open(KeyValuePart.self, as: .keys)
        return [KeyComparison(from: from, to: to, prefix: stores.prefix)]
    }

    var tables: [Set<String>] { [["meta", "log", "latest", "writer"], ["zlog", "z_primarykey"]] }

    /// Appends the rows of the other version to our log, as merging a conflict copy does.
    func combined(
        _ ours: DetachedDatabase, _ theirs: DetachedDatabase
    ) throws -> DetachedDatabase.Combined? {
        try ours.combined { package in
            let store = try KeyValueStore.loaded(package, device: ours.device)
            // The name of the folder must be that of the device.
            let folder = URL(filePath: package.path).appending(path: "Theirs/\(ours.device.name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let copy = folder.appending(path: kind.fileName).path
            try FileManager.default.copyItem(atPath: theirs.path, toPath: copy)
            let count = try store.merge(logAt: copy)
            try store.close()
            return count
        }
    }

    func examination(of db: Database) throws -> LogExamination? {
        try LogExamination(keyValueLog: db)
    }

    func examine(
        _ package: StorePackage, by doctor: Doctor, _ findings: inout DoctorFindings
    ) {
        doctor.note(kind, package, &findings) { try KeyValueStore.loaded(package).devices }
    }

    func salvage(ofFileAt path: String) -> (any Salvage.Type)? {
        SalvagedLog.isParstore(path) ? nil : SalvagedLog.self
    }
}
