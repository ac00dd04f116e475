import Foundation
import Replication

/// What stands in the folders of a package beside its databases.
extension Doctor {
    /// Files that are being written are left alone for so long, in seconds; then their writer is
    /// taken to be gone.
    private static let abandonedAfter: Int64 = 86_400

    /// Looks at names and entries of the package's own folders and of its blobs.
    func examineNames(_ package: StorePackage, _ findings: inout Findings) {
        do {
            for name in try package.undecodableNames() {
                findings.add(
                    "undecodable-name", .warning, name,
                    "its name is not UTF-8, so it is not read", advice: "rename it")
            }
            for copy in try package.blobs.conflictCopies() {
                findings.add(
                    "conflict-copy", .warning, "Blobs/\(copy.name)", "it is \(copy.explanation)",
                    advice: "look at it with tideline blobs get, then delete it",
                    command: ShellCommand.line(
                        "tideline", "blobs", "delete", package.path, copy.name))
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
                    "a file among the folders of devices is not read")
            }
        }
        for root in ["Blobs", "blobs"] { examineBlobs([root], package, &findings) }
        for item in (try? folder.items()) ?? [] {
            if item.kind == .link, ["Blobs", "blobs"].contains(item.name) {
                addUnsafe(item, item.name, package, nil, &findings)
            }
        }
    }

    private func examineBlobs(
        _ steps: [String], _ package: StorePackage, _ findings: inout Findings
    ) {
        // As deep as blobs are listed: each folder that leads there is held open.
        guard steps.count <= 65, let items = try? RootedFolder(package.path).items(steps) else {
            return
        }
        examine(items, in: steps, package, nil, &findings)
        for item in items where item.kind == .folder {
            examineBlobs(steps + [item.name], package, &findings)
        }
    }

    /// Looks at what stands in a device's folder.
    ///
    /// - Returns: The paths of databases that are no files.
    func examineItems(
        of folder: DeviceFolder, _ package: StorePackage, _ findings: inout Findings
    ) -> Set<Name> {
        let steps = package.relative(folder.path).utf8.split(separator: UInt8(ascii: "/"))
            .map { String(Substring($0)) }
        let items = (try? RootedFolder(package.path).items(steps)) ?? []
        examine(items, in: steps, package, folder.id, &findings)
        for item in items where item.kind == .file && OwnFile.isKept(item.name) {
            let path = "\(folder.path)/\(item.name)"
            findings.add(
                "kept", .note, package.relative(path), of: folder.id,
                "it was kept when it was replaced, and is not read",
                advice: "delete it when nothing is missed",
                command: ShellCommand.line("rm", path))
        }
        return Set(
            items.filter { DatabaseKind(fileName: $0.name) != nil && $0.kind != .file }
                .map { Name("\(folder.path)/\($0.name)") })
    }

    /// Looks at the entries of one folder.
    private func examine(
        _ items: [RootedFolder.Item], in steps: [String], _ package: StorePackage,
        _ device: DeviceID?, _ findings: inout Findings
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
        // Equal as text and not by their bytes: one of the few places that compare so on purpose.
        let groups = Dictionary(grouping: items.map(\.name)) { $0 }.values.filter { $0.count > 1 }
        for alike in groups.sorted(by: { Name($0[0]) < Name($1[0]) }) {
            findings.add(
                "equal-names", .warning, (steps + [alike[0]]).joined(separator: "/"), of: device,
                "\(alike.count) names here differ only in how accents are written, and some "
                    + "systems keep only one of them",
                advice: "rename all but one of them on the machine that has them")
        }
    }

    private func addUnfinished(
        _ item: RootedFolder.Item, _ file: String, _ package: StorePackage, _ device: DeviceID?,
        _ findings: inout Findings
    ) {
        let now = Int64(clock.now.date.timeIntervalSince1970)
        let isAbandoned = now - item.changed > Self.abandonedAfter
        let mayRemove = isAbandoned && own != nil && (device == nil || device == own)
        findings.add(
            "temporary", isAbandoned ? .warning : .note, file, of: device,
            isAbandoned
                ? "a program that was ended left it unfinished"
                : "it is being written, or was left by a program that was ended",
            advice: isAbandoned ? "delete it: nothing reads it" : nil,
            command: mayRemove
                ? repairCommand(package)
                : isAbandoned ? ShellCommand.line("rm", "\(package.path)/\(file)") : nil,
            mending: mayRemove ? .remove("\(package.path)/\(file)") : nil)
    }

    private func addUnsafe(
        _ item: RootedFolder.Item, _ file: String, _ package: StorePackage, _ device: DeviceID?,
        _ findings: inout Findings
    ) {
        let what =
            switch item.kind {
            case .link: "a symbolic link, which is not followed"
            case .pipe: "a pipe, which nothing waits for"
            default: "neither a file nor a folder"
            }
        let isDatabase = device != nil && DatabaseKind(fileName: item.name) != nil
        findings.add(
            "unsafe-entry", isDatabase ? .error : .warning, file, of: device, "it is \(what)",
            advice: "delete it, or put the file itself in its place",
            command: ShellCommand.line("rm", "\(package.path)/\(file)"))
    }
}
