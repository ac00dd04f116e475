import DocumentStore
import EntityStore
import Foundation
import GRDB
import KeyValueStore
import Replication
import ServerCatalog
import ServerCatalogGRDB

/// The databases of a device.
extension Doctor {
    /// Looks at the structure of a database, at its form, and at its rows.
    func examineDatabase(
        _ path: String, _ device: DeviceID, _ kind: DatabaseKind, _ package: StorePackage,
        _ findings: inout Findings
    ) {
        let place = Place(file: package.relative(path), path: path, device, kind)
        if device == own, !OwnFile.isWritable(path) {
            findings.add(
                "no-permission", .error, place.file, of: device,
                "this device's own file, or its folder, cannot be written by this user",
                advice: "let this user write both",
                command: ShellCommand.line(
                    "chmod", "u+rw", path, URL(filePath: path).deletingLastPathComponent().path))
        }
        if (try? OwnFile.isBeingWritten(path)) == true {
            findings.add(
                "busy", .note, place.file, of: device,
                "another process of this machine is writing it at this moment")
        }
        do {
            let outcome = try ForeignDatabase.read(path) { try $0.structureProblem() }
            if case .read(let problem?, _) = outcome {
                let rows = lastReadableRow(place).map {
                    "; rows 1 to \($0) can be read all the same"
                }
                addDamaged(
                    place, "damaged", "its structure is damaged: \(problem)\(rows ?? "")", package,
                    &findings)
                return
            }
        } catch {
            return add(ReplicationError(reading: error), place, package, &findings)
        }
        do {
            try kind == .catalog
                ? examineCatalog(place, &findings) : examineLog(place, package, &findings)
        } catch {
            // Its structure is sound.
            add(ReplicationError(reading: error), as: "form", place, package, &findings)
        }
    }

    struct Place {
        let file: String
        let path: String
        let device: DeviceID
        let kind: DatabaseKind

        init(file: String, path: String, _ device: DeviceID, _ kind: DatabaseKind) {
            (self.file, self.path) = (file, path)
            (self.device, self.kind) = (device, kind)
        }
    }

    /// What is to be said of a file that could not be read.
    private func add(
        _ error: ReplicationError, as code: String = "damaged", _ place: Place,
        _ package: StorePackage, _ findings: inout Findings
    ) {
        let problem = Self.problem(error, place.path)
        switch error.code {
        case .notFound: return
        case .incomplete, .busy: addHalfCopied(place, problem, package, &findings)
        case .newerFormat:
            findings.add(
                "newer-form", .error, place.file, of: place.device, problem,
                advice: "use the newest version of this program")
        case .deviceCopy:
            findings.add(
                "device-copy", .warning, place.file, of: place.device, problem)
            findings.spoil(place.file)
        case .noPermission:
            findings.add(
                "no-permission", .error, place.file, of: place.device, problem,
                advice: "let this user read the file",
                command: ShellCommand.line("chmod", "u+r", place.path))
        case .tooLarge:
            findings.add("too-large", .error, place.file, of: place.device, problem)
        default: addDamaged(place, code, problem, package, &findings)
        }
    }

    private func addDamaged(
        _ place: Place, _ code: String, _ problem: String, _ package: StorePackage,
        _ findings: inout Findings
    ) {
        if place.device == own, addLost(place, code, problem, &findings) { return }
        let isOwn = place.device == own
        findings.add(
            code, .error, place.file, of: place.device, problem,
            advice: isOwn
                ? Self.remedy(place)
                : "put a whole copy of it in its place, or mend it on the device that writes it "
                    + "with tideline doctor --repair",
            command: isOwn ? repairCommand(package) : nil,
            mending: isOwn ? .rebuild(place.path, place.kind) : nil)
    }

    /// Says of a log of this device's own what helps where no row of it can be read.
    ///
    /// - Returns: Whether that is so.
    /// - Complexity: O(*n*) in the size of the file up to the first row that can be read.
    private func addLost(
        _ place: Place, _ code: String, _ problem: String, _ findings: inout Findings
    ) -> Bool {
        // Rows may be in a write-ahead log.
        guard Self.salvagesRows(place.path, place.kind),
            !FileManager.default.fileExists(atPath: place.path + "-wal"), !hasReadableRow(place)
        else { return false }
        findings.add(
            code, .error, place.file, of: place.device,
            problem + (problem.contains(Self.noRow) ? "" : "; \(Self.noRow)"),
            advice: "put a whole copy of it in its place, or write as another device with --device")
        return true
    }

    private static let noRow = "no row of it can be read"

    private func hasReadableRow(_ place: Place) -> Bool {
        let found: Bool? =
            switch place.kind {
            case .logs: try? SalvagedLog.findsRows(in: place.path)
            case .entities: try? SalvagedEntityLog.findsRows(in: place.path)
            case .documents: try? SalvagedDocumentLog.findsRows(in: place.path)
            case .catalog: nil
            }
        return found ?? true
    }

    /// What can be done about a damaged file of this device's own.
    private static func remedy(_ place: Place) -> String {
        "put a whole copy of it in its place, or have "
            + (salvagesRows(place.path, place.kind)
                ? "what can be read of it written to a new file, the old one being kept"
                : "it written anew, which works where all of its rows can be read")
    }

    private func addHalfCopied(
        _ place: Place, _ problem: String, _ package: StorePackage, _ findings: inout Findings
    ) {
        // It may be a copy that is being put back.
        let modified = (try? FileStamp(ofFileAt: place.path))?.modified ?? .max
        let age = clock.now.date.timeIntervalSince1970 - Double(modified) / 1e9
        let isOwn = place.device == own && age > 60
        if isOwn, addLost(place, "half-copied", problem, &findings) { return }
        findings.add(
            "half-copied", .error, place.file, of: place.device, problem,
            advice: isOwn
                ? Self.remedy(place)
                : "wait until all of it has arrived; if it stays so, have the sync service carry "
                    + "it again",
            command: isOwn ? repairCommand(package) : nil,
            mending: isOwn ? .rebuild(place.path, place.kind) : nil)
    }

    /// What the rows of a log come to; `nil` for a catalog.
    private func examination(of place: Place) throws -> LogExamination? {
        let outcome = try ForeignDatabase.read(place.path) { db in
            switch place.kind {
            case .logs: try LogExamination(keyValueLog: db)
            case .entities: try LogExamination(entityLog: db)
            case .documents: try LogExamination(documentLog: db)
            case .catalog: LogExamination?.none
            }
        }
        guard case .read(let log, _) = outcome else { return nil }
        return log
    }

    /// The last row of a log that is damaged elsewhere, in an index say; `nil` where rows are.
    private func lastReadableRow(_ place: Place) -> Int64? {
        guard let log = try? examination(of: place), log.gap == nil, log.oddCount == 0,
            log.brokenCount == 0
        else { return nil }
        return log.lastID
    }

    private func examineLog(
        _ place: Place, _ package: StorePackage, _ findings: inout Findings
    ) throws {
        guard let log = try examination(of: place) else { return }
        if let claimed = log.identity?.device, claimed != place.device {
            let copy = place.kind == .logs ? place.path : nil
            findings.spoil(place.file)
            return findings.add(
                "device-copy", .warning, place.file, of: place.device,
                "it says that it is the file of \(claimed), a copy of which is not read",
                advice: copy == nil ? "delete it" : "take its rows over, then delete it",
                command: copy.map { ShellCommand.line("tideline", "merge", package.path, $0) })
        }
        add(log, place, package, &findings)
    }

    private func add(
        _ log: LogExamination, _ place: Place, _ package: StorePackage,
        _ findings: inout Findings
    ) {
        let (file, device) = (place.file, place.device)
        let isOwnLog = device == own
        if let gap = log.gap {
            findings.add(
                "gap", .error, file, of: device,
                "row \(gap) is missing; rows up to \(log.lastID) wait for it",
                advice: isOwnLog
                    ? "put a whole copy of it in its place, or give up what is missing"
                    : "wait until all of it has arrived; if it stays so, have the sync service "
                        + "carry it again",
                command: isOwnLog ? repairCommand(package) : nil,
                mending: isOwnLog ? .rebuild(place.path, place.kind) : nil)
        }
        if log.oddCount > 0 {
            findings.add(
                "rows", .error, file, of: device,
                "\(log.oddCount) rows cannot be understood, the first of them row \(log.firstOdd ?? 0)",
                advice: isOwnLog
                    ? "have the others written to a new file, this one being kept"
                    : "put a whole copy of it in its place",
                command: isOwnLog ? repairCommand(package) : nil,
                mending: isOwnLog ? .rebuild(place.path, place.kind) : nil)
        }
        if log.brokenCount > 0 {
            findings.add(
                "values", .warning, file, of: device,
                "\(log.brokenCount) values cannot be decoded, the first of them in row "
                    + "\(log.firstBroken ?? 0); they are left out",
                advice: "set their keys anew, or put a whole copy of the file in its place")
        }
        if log.lostCount > 0 || log.perhapsLostCount > 0 {
            let more = "a damaged page may have held up to \(log.perhapsLostCount)"
            findings.add(
                "rows-lost", .note, file, of: device,
                "it was damaged and has been mended: "
                    + (log.lostCount > 0
                        ? Counted.text(log.lostCount, "row of it was", "rows of it were") + " lost"
                            + (log.perhapsLostCount > 0 ? ", and \(more) more" : "")
                        : "\(more) rows more, whose numbers are not used again"))
        }
        if log.leftOutCount > 0 {
            findings.add(
                "row-times", .warning, file, of: device,
                "\(log.leftOutCount) rows have times outside the years 1 to 9999 and are left out",
                advice: "look at the device's clock")
        }
        if let newest = log.newest, clock.isImplausible(newest) {
            findings.add(
                "clock-ahead", .warning, file, of: device,
                "its newest row is of \(newest.iso8601), \(Self.ahead(newest, of: clock.now)) "
                    + "ahead of this machine's clock",
                advice: "set the device's clock right; what it wrote wins until that time comes "
                    + "or its keys are written again")
        }
        if log.forkedCount > 0 {
            findings.add(
                "fork", .note, file, of: device,
                "of \(log.forkedCount) keys the rows do not all follow on each other: the device "
                    + "wrote in two copies of the log or in two programs at once, or the log was "
                    + "mended; all rows count",
                advice: "look whether they are in conflict",
                command: ShellCommand.line("tideline", "conflicts", package.path))
        }
    }

    /// A span of time in the unit that suits it, to the nearest.
    private static func ahead(_ newest: Timestamp, of now: Timestamp) -> String {
        let days = (newest.seconds(since: now) / 86_400).rounded()
        if days <= 1 { return "1 day" }
        return days >= 730 ? "\(Int((days / 365).rounded())) years" : "\(Int(days)) days"
    }

    private func examineCatalog(_ place: Place, _ findings: inout Findings) throws {
        do {
            let broken = try CatalogDatabase.unreadableOverrides(path: place.path)
            if broken.count > 0 {
                findings.add(
                    "json", .warning, place.file, of: place.device,
                    "what \(broken.count) endpoints say of their protocols is no JSON: "
                        + broken.endpoints.map(\.quoted).joined(separator: ", ")
                        + (broken.count > broken.endpoints.count ? ", …" : ""),
                    advice: "import the servers anew with tideline servers import")
            }
            let catalog = try CatalogDatabase.openForReading(path: place.path)
            _ = try catalog.servers(orderedBy: .none, limit: 1)
        } catch let error as ServerCatalogError {
            let isNewer = error.code == .newerSchema
            findings.add(
                isNewer ? "newer-form" : "form", .error, place.file, of: place.device,
                error.message,
                advice: isNewer
                    ? "use the newest version of this program"
                    : "import the servers anew with tideline servers import")
        }
    }
}
