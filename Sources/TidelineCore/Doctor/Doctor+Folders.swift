import Foundation
import Replication

/// Checks of the names and entries in a package's folders.
extension Doctor {
    /// Checks the names and entries of the package's own folders and of its blobs.
    func examineNames(_ package: StorePackage, _ findings: inout DoctorFindings) {
        do {
            for name in try package.undecodableNames() {
                findings.add(
                    "undecodable-name", .warning, name,
                    "its name is not valid UTF-8, so it is not read", advice: "rename it")
            }
            let blobs = try package.blobs.survey()
            // Symbolic links are reported below.
            for folder in blobs.unreadFolders where !folder.path.isEmpty {
                findings.add(
                    "unreadable", .error, "Blobs/\(folder.path)", "\(folder.reason)")
            }
            let conflicts = Dictionary(
                keepingFirst: blobs.conflicts.flatMap { conflict in
                    conflict.versions.map { (Name($0.path), conflict) }
                })
            for file in blobs.syncServiceFiles {
                addLeftBlob(file, conflicts[Name(file.name)], package, &findings)
            }
            for problem in try package.deviceNameProblems() + blobs.nameProblems {
                addName(problem, &findings)
            }
        } catch {
            findings.add("unreadable", .error, "", "\(error)")
        }
        let folder = RootedFolder(package.path)
        for root in ["Devices", "devices"] {
            let items = (try? folder.items([root])) ?? []
            examine(items, in: [root], package, nil, &findings)
            for item in items where item.kind == .file && !item.name.hasPrefix(".") {
                findings.add(
                    "stray-file", .note, "\(root)/\(item.name)",
                    "a file among the device folders; it is not read")
            }
        }
        for root in ["Blobs", "blobs"] { examineBlobs([root], package, &findings) }
        for item in (try? folder.items()) ?? [] where ["Blobs", "blobs"].contains(item.name) {
            switch item.kind {
            case .folder: continue
            case .file:
                findings.add(
                    "stray-file", .warning, item.name,
                    "it is a file in place of the folder of blobs, so there are no blobs",
                    advice: "rename it, or replace it with the folder")
            case .link, .pipe, .other: addUnsafe(item, item.name, package, nil, &findings)
            }
        }
    }

    /// Adds a file that a sync service or an editor left among the blobs.
    ///
    /// - Parameter conflict: The conflict that the file is a version of.
    private func addLeftBlob(
        _ found: SyncServiceFile, _ conflict: BlobConflict?, _ package: StorePackage,
        _ findings: inout DoctorFindings
    ) {
        let (file, problem) = ("Blobs/\(found.name)", "it is \(found.explanation)")
        switch found.role {
        case .conflictCopy:
            findings.add(
                "conflict-copy", .warning, file, problem, advice: found.adviceForBlob,
                command: conflict.map { conflict in
                    // Suggest deleting a version only if another file has its content.
                    if let kept = BlobVersions(conflict, in: package.blobs).obvious {
                        return ShellCommand.line(
                            "tideline", "blobs", "resolve", "--take", kept.path, "--", package.path,
                            conflict.path)
                    }
                    return ShellCommand.line(
                        "tideline", "blobs", "conflicts", "--", package.path, conflict.path)
                }, original: conflict.map { "Blobs/\($0.path)" })
        case .placeholder:
            findings.add("placeholder", .warning, file, problem, advice: found.adviceForBlob)
        case .temporary, .version, .lock:
            // Unfinished files of this program are reported elsewhere.
            let name = found.name.split(separator: "/").last.map(String.init) ?? found.name
            guard !RootedFolder.isUnfinished(name) else { return }
            findings.add(
                found.role == .lock ? "lock" : "transfer", .note, file, problem,
                advice: found.adviceForBlob)
        }
    }

    /// Adds a name that other systems reject or treat as equal to another name.
    private func addName(_ problem: NameProblem, _ findings: inout DoctorFindings) {
        let device = problem.folder.lowercased() == "devices" ? try? DeviceID(problem.name) : nil
        switch problem.kind {
        case .collides:
            findings.add(
                "case-names", .warning, problem.path, of: device, "it \(problem.explanation)",
                advice: device == nil
                    ? "rename one of them" : "merge one of them into a device with another name")
        case .refused:
            findings.add(
                "refused-name", .note, problem.path, of: device, "it \(problem.explanation)",
                advice: device == nil ? "rename it" : "write as a device with another name")
        }
    }

    private func examineBlobs(
        _ steps: [String], _ package: StorePackage, _ findings: inout DoctorFindings
    ) {
        // Stop at the depth limit of blobs, because every folder on the path stays open.
        guard steps.count <= 65, let items = try? RootedFolder(package.path).items(steps) else {
            return
        }
        examine(items, in: steps, package, nil, &findings)
        for item in items where item.kind == .folder {
            examineBlobs(steps + [item.name], package, &findings)
        }
    }

    /// Checks the entries of a device's folder.
    ///
    /// - Returns: The paths of databases that aren't regular files.
    func examineItems(
        of folder: DeviceFolder, _ package: StorePackage, _ findings: inout DoctorFindings
    ) -> Set<Name> {
        let steps = steps(to: folder, in: package)
        let items = (try? RootedFolder(package.path).items(steps)) ?? []
        examine(items, in: steps, package, folder.id, &findings)
        for item in items where item.kind == .file && OwnFile.isKept(item.name) {
            let path = "\(folder.path)/\(item.name)"
            findings.add(
                "kept", .note, package.relative(path), of: folder.id,
                "the old version of a repaired file; it is not read",
                advice: "delete it when you no longer need it",
                command: ShellCommand.line("rm", path))
        }
        return Set(
            items.filter { DatabaseKind(fileName: $0.name) != nil && $0.kind != .file }
                .map { Name("\(folder.path)/\($0.name)") })
    }

    /// Returns the path components from a package to a device's folder.
    func steps(to folder: DeviceFolder, in package: StorePackage) -> [String] {
        package.relative(folder.path).utf8.split(separator: UInt8(ascii: "/"))
            .map { String(Substring($0)) }
    }

    /// Checks the entries of one folder.
    private func examine(
        _ items: [RootedFolder.Entry], in steps: [String], _ package: StorePackage,
        _ device: DeviceID?, _ findings: inout DoctorFindings
    ) {
        for item in items {
            let file = (steps + [item.name]).joined(separator: "/")
            switch item.kind {
            case .file:
                guard RootedFolder.isUnfinished(item.name) else { continue }
                addUnfinished(item, file, package, device, &findings)
            case .folder: continue
            case .link, .pipe, .other: addUnsafe(item, file, package, device, &findings)
            }
        }
        // Group by text, because names that differ only in the encoding of accents are equal.
        let groups = Dictionary(grouping: items.map(\.name)) { $0 }.values.filter { $0.count > 1 }
        for names in groups.sorted(by: { Name($0[0]) < Name($1[0]) }) {
            findings.add(
                "equal-names", .warning, (steps + [names[0]]).joined(separator: "/"), of: device,
                "\(names.count) names differ only in how accents are encoded, and some "
                    + "systems can keep only one of them",
                advice: "on a machine that shows all of these names, rename all but one")
        }
    }

    /// Returns whether the writer of an unfinished file is considered dead.
    func isAbandoned(_ item: RootedFolder.Entry) -> Bool {
        Int64(clock.now.date.timeIntervalSince1970) - item.changed > 86_400
    }

    private func addUnfinished(
        _ item: RootedFolder.Entry, _ file: String, _ package: StorePackage, _ device: DeviceID?,
        _ findings: inout DoctorFindings
    ) {
        let isAbandoned = isAbandoned(item)
        let mayRemove = isAbandoned && own != nil && (device == nil || device == own)
        findings.add(
            "temporary", isAbandoned ? .warning : .note, file, of: device,
            isAbandoned
                ? "a program was killed while writing it"
                : "it is being written, or a program was killed while writing it",
            advice: isAbandoned ? "delete it; nothing reads it" : nil,
            command: mayRemove
                ? repairCommand(package)
                : isAbandoned ? ShellCommand.line("rm", "\(package.path)/\(file)") : nil,
            repairAction: mayRemove ? .remove("\(package.path)/\(file)") : nil)
    }

    private func addUnsafe(
        _ item: RootedFolder.Entry, _ file: String, _ package: StorePackage, _ device: DeviceID?,
        _ findings: inout DoctorFindings
    ) {
        guard let problem = item.unsafeKind else { return }
        let isDatabase = device != nil && DatabaseKind(fileName: item.name) != nil
        let severity = isDatabase ? DoctorFinding.Severity.error : .warning
        // A user may have moved the only copy of the data to another disk. Don't suggest copying
        // the target: another user may have created the link to obtain a private file.
        guard item.kind != .link || file.lowercased().hasPrefix("blobs/") else {
            return findings.add(
                "unsafe-entry", severity, file, of: device, problem,
                advice: "if it leads to data of this store, replace it with that data; otherwise "
                    + "delete it")
        }
        findings.add(
            "unsafe-entry", severity, file, of: device, problem,
            advice: "delete it, or replace it with a regular file",
            command: ShellCommand.line("rm", "\(package.path)/\(file)"))
    }
}

extension RootedFolder.Entry {
    /// The reason why the item isn't read, as a clause; `nil` for files and folders.
    var unsafeKind: String? {
        switch kind {
        case .file, .folder: nil
        case .link: "it is a symbolic link, which is not followed"
        case .pipe: "it is a named pipe, which is not read"
        case .other: "it is neither a file nor a folder"
        }
    }
}
