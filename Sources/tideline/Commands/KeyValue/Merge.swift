import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// `tideline merge`: brings the rows and blobs of another copy of a store into this one.
struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Merge another copy of a store into this one.",
        discussion: """
            Logs of one device in both are united. A device that went on writing in both is unsafe:
            name it, and what the other copy has more goes to a device of its own.
            OTHER may also be one device's log, or a copy of its folder: a sync service's conflict
            copy.
            Only keys and blobs are merged. Where OTHER has entities, documents or servers that the
            store does not have, it says so, names their files and what takes them over, and ends
            with 65; else OTHER can be deleted afterwards.
            Example: tideline merge Notes.store Backup.store --unsafe-device ben-phone
            """)
    @OptionGroup var store: PathArgument
    @Argument(help: "The store to take from.", completion: .directory) var other: String
    @Option(name: .customLong("unsafe-device"), help: "A device that wrote in both stores.")
    var unsafeDevices: [String] = []
    @OptionGroup var device: DeviceOption

    func run() async throws {
        let unsafe = try unsafeDevices.map { try DeviceID($0) }
        if let log = Self.log(at: self.other) {
            guard unsafe.isEmpty else {
                throw Failure(
                    .usage, "merge \(self.other)", "--unsafe-device is for whole stores")
            }
            // What there is to be said of other versions is why they are taken over.
            let rows = try await Opened.writing(
                KeyValuePart.self, of: store.path, as: device, warnsOfRead: false
            ) { store in try store.merge(logAt: log) }
            Output.note("\(rows) rows")
            let name = URL(filePath: log).lastPathComponent
            if SyncServiceFile(name: name)?.role == .conflictCopy {
                Output.note("\(log) is not needed any more and can be deleted")
            }
            return
        }
        let other = try await Opened.reading(
            KeyValuePart.self, of: self.other, as: device.forWriting())
        try await Opened.writing(KeyValuePart.self, of: store.path, as: device) { store in
            let rows = try store.merge(other, unsafeDevices: Set(unsafe))
            Output.note("\(rows) rows")
        }
        try Self.tellOfRest(
            of: StorePackage(opening: self.other), notIn: StorePackage(opening: store.path))
    }

    /// Says which files of the other copy hold what has not been taken over.
    private static func tellOfRest(of other: StorePackage, notIn package: StorePackage) throws {
        let rest = try package.databasesWithMore(in: other)
        for (path, kind) in rest {
            let (advice, command) = DatabaseKind.wayOut(ofRestIn: path, of: kind, in: package)
            Output.note("\(path) was not taken over: \(advice)" + (command.map { ": \($0)" } ?? ""))
        }
        guard !rest.isEmpty else { return }
        throw Failure(
            .badData, "merge \(other.path)",
            "\(Counted.text(rest.count, "file of it holds", "files of it hold")) what is not in the "
                + "store",
            wayOut: "Do not delete it before that is taken over.")
    }

    /// The log that a path is about, where it is not a store: the file, or that in a device's
    /// folder.
    private static func log(at path: String) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            return nil
        }
        if !isFolder.boolValue { return path }
        guard !["Devices", "devices"].contains(where: { exists("\(path)/\($0)") }) else {
            return nil
        }
        return ["Logs.db", "logs.db"].map { "\(path)/\($0)" }.first(where: exists)
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }
}
