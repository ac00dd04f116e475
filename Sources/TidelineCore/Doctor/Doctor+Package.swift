import Foundation
package import Replication

extension Doctor {
    func examine(_ package: StorePackage, _ findings: inout DoctorFindings) throws {
        let folders = try package.devices()
        examineNames(package, &findings)
        examineOtherFiles(package, &findings)
        for folder in folders { examine(folder, in: package, &findings) }
        for model in models where folders.contains(where: { $0.has(model.kind) }) {
            model.examine(package, by: self, &findings)
        }
    }

    /// Checks a device's folder, or one database in it.
    func examine(
        _ folder: DeviceFolder, only kind: DatabaseKind? = nil, in package: StorePackage,
        _ findings: inout DoctorFindings
    ) {
        let file = package.relative(folder.path)
        if let problem = folder.problem {
            return findings.add(
                "no-permission", .error, file, of: folder.id, problem,
                advice: "grant yourself permission to read the folder",
                command: ShellCommand.line("chmod", "u+rwx", folder.path))
        }
        if let copy = folder.copy {
            let isMergeable = models.contains { model in
                folder.has(model.kind)
                    && model.suggestion(forCopyAt: folder.path, in: package).action == .mergeCopy
            }
            findings.add(
                copy.isCertain ? "device-copy" : "possible-device-copy",
                copy.isCertain ? .warning : .note, file, of: folder.id,
                copy.isCertain
                    ? "it is a copy of the folder of \(copy.original); copies are not read"
                    : "its name looks like a copy of the folder of \(copy.original), but its content "
                        + "is different, so it is read",
                advice: copy.isCertain
                    ? "merge its rows, then delete it" : "if it is a copy, delete it",
                command: copy.isCertain && isMergeable
                    ? ShellCommand.line("tideline", "merge", package.path, folder.path) : nil)
            if copy.isCertain {
                for model in models {
                    findings.markUnreadable(package.relative(folder.path(of: model.kind)))
                }
                return
            }
        }
        if folder.id == own, OwnFile.isOnReadOnlyDisk(folder.path) {
            findings.add(
                "read-only", .note, file, of: folder.id,
                "its disk is read-only, so nothing can be written as your device")
        }
        if kind == nil { examineFindings(folder, package, &findings) }
        let unexpectedItems = kind == nil ? examineItems(of: folder, package, &findings) : []
        for model in models where kind == nil || kind == model.kind {
            let path = folder.path(of: model.kind)
            guard !unexpectedItems.contains(Name(path)) else { continue }
            let isReadable = examineJournals(path, folder.id, model.kind, package, &findings)
            guard folder.has(model.kind), isReadable else { continue }
            examineDatabase(path, folder.id, model, package, &findings)
        }
    }

    /// Checks the files that a sync service left next to the databases.
    private func examineFindings(
        _ folder: DeviceFolder, _ package: StorePackage, _ findings: inout DoctorFindings
    ) {
        for found in folder.findings {
            let path = URL(filePath: "\(folder.path)/\(found.name)").standardizedFileURL.path
            let file = package.relative(path)
            let problem = "it is \(found.explanation)"
            switch found.role {
            case .conflictCopy:
                let model = found.original.flatMap(DatabaseKind.init(fileName:)).flatMap {
                    models[$0]
                }
                let suggestion = model?.suggestion(forCopyAt: path, in: package)
                // The original may lack something that the copy has, so compare them if the copy
                // can't be merged. A name with a slash is the path of a copy in another folder of
                // the device, which isn't compared.
                let isCompared = suggestion == nil || suggestion?.action == .deleteFile
                if isCompared, !found.name.contains("/") {
                    addCopy(
                        found, in: steps(to: folder, in: package), of: folder.id, package,
                        &findings)
                    continue
                }
                findings.add(
                    "conflict-copy", .warning, file, of: folder.id, problem,
                    advice: isCompared ? Self.compareCopy : suggestion?.text,
                    command: isCompared ? nil : suggestion?.command)
            case .placeholder:
                findings.add(
                    "placeholder", .warning, file, of: folder.id, problem,
                    advice: "ask your sync service to download it")
            case .temporary:
                // Unfinished files of this program are already reported.
                guard !RootedFolder.isUnfinished(found.name) else { continue }
                findings.add("transfer", .note, file, of: folder.id, problem)
            case .lock: findings.add("lock", .note, file, of: folder.id, problem)
            case .version: findings.add("version", .note, file, of: folder.id, problem)
            }
        }
    }

    /// Adds the problems that a store reports about its logs and that no other check has found.
    ///
    /// - Parameter read: Reads the status of each log, for use without an open store.
    package func note(
        _ kind: DatabaseKind, _ package: StorePackage, _ findings: inout DoctorFindings,
        _ read: () throws -> [DeviceStatus]
    ) {
        do {
            for status in try knownStatuses(kind) ?? read() where status.state != .ok {
                // An inaccessible folder is reported as a whole.
                guard let problem = status.advisedProblem,
                    let folder = try? package.device(status.device), folder.has(kind)
                else { continue }
                let file = package.relative(folder.path(of: kind))
                guard !findings.unreadableFiles.contains(Name(file)) else { continue }
                let isOwn = status.device == own
                findings.add(
                    "rows", .error, file, of: status.device, problem,
                    advice: isOwn
                        ? "replace the file with a complete copy, or write as another device "
                            + "with --device"
                        : "replace the file with a complete copy")
            }
        } catch {
            findings.add("unreadable", .error, kind.fileName, "\(error)")
        }
    }

    /// Returns one finding for each device whose file has disappeared since a store read it.
    func missingDevices(_ reports: [DeviceReport]) -> [DoctorFinding] {
        guard let package = try? StorePackage(opening: path) else { return [] }
        var findings = DoctorFindings()
        var known: Set<DeviceID> = []
        // The report of a file that never existed can have a problem, too, for example if only a
        // conflict copy exists. That report has no rows.
        for report in reports where report.state == .absent && report.rows > 0 {
            guard let problem = report.problem, known.insert(report.device).inserted else {
                continue
            }
            let folder = (try? package.device(report.device))?.path
            findings.add(
                "gone", .warning, folder.map(package.relative) ?? report.device.name,
                of: report.device, problem,
                advice:
                    "ask your sync service to download the file again; until then, programs that "
                    + "open the store don't see its data")
        }
        return findings.sorted
    }
}
