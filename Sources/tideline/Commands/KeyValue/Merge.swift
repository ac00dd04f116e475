import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore

struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Merge another copy of a store into this one.",
        discussion: """
            The two logs of a device are combined. This is unsafe if a device has kept writing to \
            both copies. Specify such a device with --unsafe-device. Its rows that are only in \
            OTHER become rows of a new device.

            OTHER can also be one device's log or a copy of its folder, such as a conflict copy of \
            a sync service.

            If both stores have a blob with different bytes, the newer file becomes the blob, and \
            the older one becomes a conflict copy. Use 'tideline blobs resolve' to keep one of \
            them. --dry-run lists the blobs and conflict copies to write.

            Only keys and blobs are merged. If OTHER has entities, documents or servers that the \
            store lacks, merge lists their files and how to import them, and exits with code 65. It \
            also exits with code 65 if OTHER has copies of logs, logs that can't be read, or files \
            that a sync service has not downloaded. Otherwise OTHER can be deleted afterward.

            Example: tideline merge Notes.store Backup.store --unsafe-device ben-phone
            """)
    @OptionGroup var store: PathArgument
    @Argument(help: "The store to merge.", completion: .directory, transform: PathWord.path)
    var other: String
    @Option(
        name: .customLong("unsafe-device"), parsing: .unconditionalSingleValue,
        help: "A device that wrote to both stores, by identifier or name.")
    var unsafeDevices: [String] = []
    @Flag(help: "Print the rows and blobs to merge, and write nothing.") var dryRun = false
    @OptionGroup var device: DeviceOption

    func run() async throws {
        if let log = Self.log(at: self.other) {
            guard unsafeDevices.isEmpty, !dryRun else {
                throw Failure(
                    .invalidRequest, "merge \(self.other)",
                    "--\(dryRun ? "dry-run" : "unsafe-device") needs a store, not a log")
            }
            // Warnings about other versions of files are omitted, because the command merges such
            // versions.
            let rows = try await ModelOpener.writing(
                KeyValuePart.self, of: store.path, as: device, warnsOfRead: false
            ) { store in try store.merge(logAt: log) }
            Output.note(Counted.text(rows, "row"))
            let name = URL(filePath: log).lastPathComponent
            if SyncServiceFile(name: name)?.role == .conflictCopy {
                Output.note("\(log) is no longer needed and can be deleted")
            }
            return
        }
        let other = try await ModelOpener.reading(
            KeyValuePart.self, of: self.other, as: device.forWriting(to: store.path))
        let unsafe = try namedDevices()
        guard !dryRun else { return try await preview(other, unsafe) }
        try await ModelOpener.writing(KeyValuePart.self, of: store.path, as: device) { store in
            let (rows, blobs) = try store.merging(other, unsafeDevices: unsafe)
            for copy in blobs.conflictCopies {
                Output.note("conflict copy of a blob: \(Printable.line(copy))")
            }
            Output.note(Counted.text(rows, "row"))
            if let failure = blobs.failure { throw failure }
        }
        try listUnmerged(of: other)
    }

    /// Returns the unsafe devices. Refuses a misspelled name. Otherwise, merging would treat the
    /// device that the user meant as safe.
    private func namedDevices() throws -> Set<DeviceID> {
        let package = try StorePackage(opening: other)
        return Set(
            try unsafeDevices.map { name in
                let option = "--unsafe-device \(name)"
                guard let found = try Failure.of(option, { try package.device(named: name) })
                else { throw Failure(.invalidRequest, option, "\(other) has no such device") }
                return found
            })
    }

    /// Prints the number of rows per log, the blobs and the conflict copies that merging would
    /// write.
    private func preview(_ other: KeyValueStore, _ unsafe: Set<DeviceID>) async throws {
        let store = try await ModelOpener.reading(
            KeyValuePart.self, of: self.store.path, as: device.forWriting(to: store.path))
        let (preview, failure) = try Failure.of(self.store.path) {
            try store.previewingMerge(other, unsafeDevices: unsafe)
        }
        for (device, count) in preview.rows.sorted(by: { $0.key < $1.key }) {
            Output.text(Printable.line("\(device)  \(Counted.text(count, "row"))"))
        }
        for blob in preview.blobs { Output.text(Printable.line("blob  \(blob)")) }
        for copy in preview.conflictCopies {
            Output.text(Printable.line("conflict copy  \(copy)"))
        }
        if let failure { throw failure }
        if preview.rows.isEmpty, preview.blobs.isEmpty, preview.conflictCopies.isEmpty {
            Output.note("nothing to merge")
        }
        try listUnmerged(of: other)
    }

    /// Prints the files of the other copy that were not merged.
    ///
    /// - Throws: ``Failure`` if not all data was merged.
    private func listUnmerged(of copy: KeyValueStore) throws {
        let package = try StorePackage(opening: other)
        let rest = try DataModels.standard.databasesWithMore(
            in: package, than: StorePackage(opening: store.path))
        for (path, suggestion) in rest {
            Output.note("\(path) was not merged: \(suggestion.words)")
        }
        for status in copy.devices {
            guard let problem = status.unmergedProblem else { continue }
            throw Failure(
                .badData, "merge \(other)",
                "not all rows can be merged: \(status.device): \(problem)",
                suggestion: status.suggestion?.words
                    ?? "before you delete the other copy, merge again when the log can be read")
        }
        for folder in try package.devices() {
            for model in DataModels.standard { try folder.checkIsDownloaded(model.kind) }
        }
        let blobs = try package.blobs.survey()
        let present = Set(blobs.entries.map { Name($0.path) })
        let placeholder = blobs.syncServiceFiles.first { file in
            file.role == .placeholder && file.original.map { !present.contains(Name($0)) } ?? true
        }
        if let placeholder {
            throw Failure(
                .badData, "merge \(other)",
                "not all blobs can be merged: \(placeholder.name.quoted) is "
                    + placeholder.explanation,
                suggestion: "before you delete the other copy, merge again when the blob is "
                    + "downloaded")
        }
        if let folder = blobs.unreadFolders.first {
            throw Failure(
                .badData, "merge \(other)", "not all blobs can be merged: \(folder.reason)",
                suggestion: "before you delete the other copy, copy the blobs in this folder")
        }
        if let name = blobs.undecodableNames.first {
            throw Failure(
                .badData, "merge \(other)",
                "not all blobs can be merged: the name \(name.quoted) is not UTF-8",
                suggestion: "rename the file, and merge again before you delete the other copy")
        }
        guard !rest.isEmpty else { return }
        throw Failure(
            .badData, "merge \(other)",
            "\(Counted.text(rest.count, "file has", "files have")) data that the store lacks",
            suggestion: "merge those files before you delete the other copy")
    }

    /// Returns the log at a path that isn't a store. It is the file at the path, or the log in a
    /// device's folder.
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
