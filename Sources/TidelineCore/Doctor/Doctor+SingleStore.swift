import DocumentStore
import GRDB
import Replication
import ServerCatalog
import Tables

/// Checks of files and folders outside packages.
extension Doctor {
    /// Checks a file or storage folder of documents.
    func examineDocuments(_ findings: inout DoctorFindings) {
        do {
            guard let store = try DocumentStores.open(path) else { return }
            examine(store, &findings) { _ in path }
        } catch {
            findings.add("unreadable", .error, path, "\(error)")
        }
        for (name, item) in AutomergeStore.unfinishedFiles(inStorageFolder: path) {
            let isAbandoned = isAbandoned(item)
            let file = "\(path)/\(name)"
            findings.add(
                "temporary", isAbandoned ? .warning : .note, file,
                "it is being written, or a program was killed while writing it",
                advice: isAbandoned ? "delete it; nothing reads it" : nil,
                command: isAbandoned ? ShellCommand.line("rm", file) : nil)
        }
    }

    func examineAutomerge(_ findings: inout DoctorFindings) {
        do {
            let file = try AutomergeFile(path)
            let check = file.check()
            for finding in check.chunks.compactMap(\.finding) {
                findings.add(
                    "chunk", .error, path, finding,
                    advice: "replace the file with a complete copy")
            }
            for warning in check.warnings {
                findings.add(
                    "missing-changes", .warning, path, warning,
                    advice: "merge it with a file that contains the missing changes: "
                        + "tideline docs merge")
            }
            // Some problems are found only when the document is built from the chunks.
            if findings.all.isEmpty { _ = try file.view() }
        } catch {
            findings.add(
                "damaged", .error, path, "\(error)",
                advice: "replace the file with a complete copy")
        }
    }

    /// Checks the structure of a database file, and then its content.
    ///
    /// - Parameter examineContent: Receives the path with symbolic links resolved.
    func examineDatabaseFile(
        _ findings: inout DoctorFindings,
        _ examineContent: (String, inout DoctorFindings) throws -> Void = { _, _ in }
    ) {
        let file = StoreKind.resolved(path)
        if (try? OwnFile.isBeingWritten(file)) == true {
            findings.add(
                "busy", .note, path, "another process on this machine is writing to it")
        }
        do {
            let (problem, _) = try TableFile(file).read(standsIn: false) {
                try $0.structureProblem()
            }
            if let problem, Database.isViolation(problem) {
                findings.add(
                    "form", .warning, path, "rows violate a constraint of their table: \(problem)",
                    advice: "change these rows with the program that owns the file")
            } else if let problem {
                return addDamaged("database structure damaged: \(problem)", &findings)
            }
        } catch let error as TablesError {
            findings.add(
                "unchecked", .note, path,
                "structure not checked, because the database uses an extension that this program lacks: "
                    + error.message)
        } catch {
            return addDamaged(ReplicationError(reading: error).message, &findings)
        }
        do {
            try examineContent(file, &findings)
        } catch let error as ServerCatalogError {
            addForm(error.message, isNewer: error.code == .newerSchema, &findings)
        } catch {
            let error = ReplicationError(reading: error)
            addForm(error.message, isNewer: error.code == .newerFormat, &findings)
        }
    }

    private func addForm(_ problem: String, isNewer: Bool, _ findings: inout DoctorFindings) {
        findings.add(
            isNewer ? "newer-form" : "form", .error, path, problem,
            advice: isNewer ? "update this program" : nil)
    }

    private func addDamaged(_ problem: String, _ findings: inout DoctorFindings) {
        findings.add(
            "damaged", .error, path, problem,
            advice: "replace it with a complete copy, or recover the readable part to a new file",
            command: recoverCommand)
    }

    /// Checks the files next to a Core Data store that contain binary values.
    func examineExternalFiles(of file: String, _ findings: inout DoctorFindings) throws {
        let files = try TableFile(file).read { db in
            try ExternalFiles(
                db, DatabaseTables(db, storeAt: file), storeAt: file)
        }.0
        let folder = ExternalFolder(of: path).path
        for missing in files.missing {
            findings.add(
                "external-missing", .error, path,
                "\(missing.entity) \(missing.row): the file \(missing.file) with the value of "
                    + "\(missing.attribute) is missing",
                advice: "restore it from a copy of \(folder)")
        }
        for name in files.orphaned {
            findings.add(
                "external-orphan", .note, "\(folder)/\(name)",
                "no object refers to this file")
        }
    }

    /// Checks a device's log outside a package. Ignores other databases.
    func examineLog(at file: String, _ findings: inout DoctorFindings) throws {
        let read = try TableFile(file).read {
            try models[tables: $0.tableNames()]?.examination(of: $0)
        }
        guard let log = read.0 else { return }
        let device = log.identity?.device
        for (code, problem) in [("gap", log.gapProblem), ("rows", log.invalidRowsProblem)] {
            guard let problem else { continue }
            findings.add(
                code, .error, path, of: device, problem,
                advice: "replace the file with a complete copy")
        }
        if let newest = log.newest, clock.isImplausible(newest) {
            findings.add(
                "clock-ahead", .warning, path, of: device,
                "its newest row has the time \(newest.secondText), far ahead of this machine's clock",
                advice: "correct the device's clock")
        }
    }
}
