import Foundation
import Replication

/// Checks for conflict copies of files that are neither blobs nor part of a data model.
extension Doctor {
    /// The number of folders after which the search for copies ends.
    private static let mostFolders = 1_000
    /// The maximum depth of the folders that are searched for copies.
    private static let deepest = 32
    /// The size up to which files are compared, in bytes.
    private static let comparedLimit: Int64 = 16 << 20

    /// Adds the conflict copies of all files outside of the folders of devices and blobs.
    func examineOtherFiles(_ package: StorePackage, _ findings: inout DoctorFindings) {
        let root = RootedFolder(package.path)
        var waiting: [[String]] = [[]]
        var count = 0
        while let steps = waiting.popLast(), count < Self.mostFolders {
            count += 1
            let entries = (try? root.entries(steps)) ?? []
            let names = Set(entries.map { Name($0.name) })
            for entry in entries {
                if entry.isFolder {
                    let isOwn =
                        steps.isEmpty && ["devices", "blobs"].contains(entry.name.lowercased())
                    guard !isOwn, !entry.name.hasPrefix("."), steps.count < Self.deepest else {
                        continue
                    }
                    waiting.append(steps + [entry.name])
                } else if let found = SyncServiceFile.amongBlobs(
                    entry.name, exists: { names.contains(Name($0)) }), found.role == .conflictCopy
                {
                    addCopy(found, in: steps, package, &findings)
                }
            }
        }
    }

    /// Adds a finding for a conflict copy. It describes how the copy differs from the original.
    ///
    /// - Parameter steps: The folder that contains the copy and the original.
    func addCopy(
        _ found: SyncServiceFile, in steps: [String], of device: DeviceID? = nil,
        _ package: StorePackage, _ findings: inout DoctorFindings
    ) {
        let folder = ([package.path] + steps).joined(separator: "/")
        let copy = "\(folder)/\(found.name)"
        let relation = found.original.map { original in
            Relation(of: found.name, from: original, in: steps, of: RootedFolder(package.path))
        }
        var problem = "it is \(found.explanation)"
        let advice: String
        var command: String?
        switch relation {
        case .same?:
            problem += "; both have the same bytes"
            advice = "delete the copy"
            command = ShellCommand.line("rm", copy)
        case .different(let bytes, let others, let isText)?:
            problem +=
                "; it has \(Counted.text(bytes, "byte")), and the original has \(others.grouped)"
            advice = "compare them, then delete one"
            let original = "\(folder)/\(found.original ?? "")"
            command =
                Self.isStore(original) && Self.isStore(copy)
                ? ShellCommand.line("tideline", "diff", original, copy)
                : ShellCommand.line(isText ? "diff" : "cmp", original, copy)
        case .originalIsMissing?:
            problem += "; the original is missing"
            advice = "rename the copy to \((found.original ?? "").quoted), or delete it"
        case .originalIsNoFile?:
            problem += "; the original is missing, and something else has its name"
            advice = "rename the copy, or delete it"
        case .unknown?, nil: advice = Self.compareCopy
        }
        findings.add(
            "conflict-copy", .warning, (steps + [found.name]).joined(separator: "/"), of: device,
            problem, advice: advice, command: command,
            // The files in a device's folder belong to the device.
            original: device == nil
                ? found.original.map { (steps + [$0]).joined(separator: "/") } : nil)
    }

    static let compareCopy = "compare the copy with the original, then delete one"

    /// Returns whether `tideline diff` can compare a file.
    private static func isStore(_ path: String) -> Bool { (try? StoreKind(of: path)) != nil }

    /// The relation of a conflict copy to its original.
    private enum Relation {
        case same
        case different(bytes: Int64, originalBytes: Int64, isText: Bool)
        case originalIsMissing
        /// A folder, a symbolic link or something else has the name of the original.
        case originalIsNoFile
        case unknown

        init(of copy: String, from original: String, in steps: [String], of root: RootedFolder) {
            let entries = (try? root.entries(steps)) ?? []
            func entry(_ name: String) -> RootedFolder.Entry? {
                entries.first { Name($0.name) == Name(name) && !$0.isFolder }
            }
            guard let copy = entry(copy) else {
                self = .unknown
                return
            }
            guard let original = entry(original) else {
                let path = ([root.path] + steps + [original]).joined(separator: "/")
                // Symbolic links are not followed.
                let status = try? FileManager.default.attributesOfItem(atPath: path)
                self = status == nil ? .originalIsMissing : .originalIsNoFile
                return
            }
            let contents = [copy, original].compactMap {
                try? root.read($0.name, in: steps, limit: comparedLimit)
            }
            let isRead = contents.count == 2
            if isRead, contents[0] == contents[1] {
                self = .same
            } else if isRead || copy.byteCount != original.byteCount {
                self = .different(
                    bytes: copy.byteCount, originalBytes: original.byteCount,
                    isText: isRead && contents.allSatisfy { !$0.contains(0) })
            } else {
                self = .unknown
            }
        }
    }
}
