import DocumentStore
import Foundation
import GRDB
import KeyValueStore
package import Replication

extension Doctor {
    /// Checks a database's structure, its format and its rows.
    func examineDatabase(
        _ path: String, _ device: DeviceID, _ model: any DataModel, _ package: StorePackage,
        _ findings: inout DoctorFindings
    ) {
        let place = DeviceDatabase(
            file: package.relative(path), path: path, device: device, model: model,
            package: package)
        if device == own, !OwnFile.isWritable(path), !OwnFile.isOnReadOnlyDisk(path) {
            findings.add(
                "no-permission", .error, place.file, of: device,
                "you don't have write permission for your device's file or its folder",
                advice: "grant yourself write permission for both",
                command: ShellCommand.line(
                    "chmod", "u+rw", path, URL(filePath: path).deletingLastPathComponent().path))
        }
        if (try? OwnFile.isBeingWritten(path)) == true {
            findings.add(
                "busy", .note, place.file, of: device,
                "another process on this machine is writing to it")
        }
        do {
            if let problem = try ForeignDatabase.value(from: path, { try $0.structureProblem() }) {
                let rows = lastReadableRow(place).map {
                    "; rows 1 to \($0) are still readable"
                }
                return addDamaged(
                    place, "damaged", "database structure damaged: \(problem)\(rows ?? "")",
                    &findings)
            }
        } catch {
            return add(ReplicationError(reading: error), place, &findings)
        }
        do {
            try model.examine(place, by: self, &findings)
        } catch {
            // The structure is intact, so the format or the content is wrong.
            add(ReplicationError(reading: error), as: "form", place, &findings)
        }
    }

    /// A database in a device's folder.
    package struct DeviceDatabase {
        /// The path of the file within the package.
        let file: String
        package let path: String
        package let device: DeviceID
        let model: any DataModel
        package let package: StorePackage
    }

    /// Adds the finding for a file that could not be read.
    private func add(
        _ error: ReplicationError, as code: String = "damaged", _ place: DeviceDatabase,
        _ findings: inout DoctorFindings
    ) {
        let problem = Self.problem(error, place.path)
        switch error.code {
        case .notFound: return
        case .incomplete, .busy: addHalfCopied(place, problem, &findings)
        case .newerFormat:
            findings.add(
                "newer-form", .error, place.file, of: place.device, problem,
                advice: "update this program")
        case .deviceCopy:
            findings.add(
                "device-copy", .warning, place.file, of: place.device, problem,
                advice: error.suggestion?.words)
            findings.markUnreadable(place.file)
        case .noPermission:
            findings.add(
                "no-permission", .error, place.file, of: place.device, problem,
                advice: "grant yourself read permission",
                command: ShellCommand.line("chmod", "u+r", place.path))
        case .tooLarge:
            findings.add("too-large", .error, place.file, of: place.device, problem)
        default: addDamaged(place, code, problem, &findings)
        }
    }

    private func addDamaged(
        _ place: DeviceDatabase, _ code: String, _ problem: String,
        _ findings: inout DoctorFindings
    ) {
        let isOwn = place.device == own
        if isOwn, addLost(place, code, problem, &findings) { return }
        addUnreadable(
            place, code, problem, remedy: isOwn ? Self.remedy(place) : nil,
            otherwise: "replace it with a complete copy, or run tideline doctor --repair on the "
                + "device that writes it", &findings)
    }

    /// Adds a finding about rows of a log that can't be read.
    ///
    /// - Parameters:
    ///   - remedy: The advice if this device's file can be rebuilt; `nil` if it can't.
    ///   - other: The advice for all other files.
    private func addUnreadable(
        _ place: DeviceDatabase, _ code: String, _ problem: String, remedy: String?,
        otherwise other: String, _ findings: inout DoctorFindings
    ) {
        findings.add(
            code, .error, place.file, of: place.device, problem, advice: remedy ?? other,
            command: remedy.flatMap { _ in repairCommand(place.package) },
            repairAction: remedy.map { _ in .rebuild(place.path, place.model.kind) })
    }

    /// The advice to wait for a file that hasn't completely arrived.
    private static let waitForRest =
        "wait for the rest to arrive; if it doesn't, ask your sync service to download it again"

    /// Adds a finding about this device's own log if none of its rows is readable.
    ///
    /// - Returns: Whether no row of the log is readable.
    /// - Complexity: O(*n*) in the size of the file up to the first readable row.
    private func addLost(
        _ place: DeviceDatabase, _ code: String, _ problem: String, _ findings: inout DoctorFindings
    ) -> Bool {
        // A write-ahead log may contain rows.
        guard place.model.salvage(ofFileAt: place.path) != nil,
            !FileManager.default.fileExists(atPath: place.path + "-wal"), !hasReadableRow(place)
        else { return false }
        findings.add(
            code, .error, place.file, of: place.device,
            problem + (problem.contains(Self.noRow) ? "" : "; \(Self.noRow)"),
            advice: "replace it with a complete copy, or write as another device with --device")
        return true
    }

    private static let noRow = "none of its rows can be read"

    private func hasReadableRow(_ place: DeviceDatabase) -> Bool {
        let found = try? place.model.salvage(ofFileAt: place.path)?.findsRows(in: place.path)
        return found ?? true
    }

    /// Returns the advice for a damaged file of this device.
    private static func remedy(_ place: DeviceDatabase) -> String {
        "replace it with a complete copy, or "
            + (place.model.salvage(ofFileAt: place.path) != nil
                ? "copy the readable rows to a new file (the old file is kept)"
                : "rebuild it (possible if all rows are readable)")
    }

    private func addHalfCopied(
        _ place: DeviceDatabase, _ problem: String, _ findings: inout DoctorFindings
    ) {
        // The file may be a copy that is still being restored.
        let modified = (try? FileStamp(ofFileAt: place.path))?.modified ?? .max
        let age = clock.now.date.timeIntervalSince1970 - Double(modified) / 1e9
        let isOwn = place.device == own && age > 60
        if isOwn, addLost(place, "half-copied", problem, &findings) { return }
        addUnreadable(
            place, "half-copied", problem, remedy: isOwn ? Self.remedy(place) : nil,
            otherwise: Self.waitForRest, &findings)
    }

    /// Examines the rows of a log; `nil` if the database is not a log.
    private func examination(of place: DeviceDatabase) throws -> LogExamination? {
        try ForeignDatabase.value(from: place.path, place.model.examination)
    }

    /// Returns the last row of a log if only other parts, such as an index, are damaged.
    private func lastReadableRow(_ place: DeviceDatabase) -> Int64? {
        guard let log = try? examination(of: place), log.gap == nil, log.invalidCount == 0,
            log.brokenCount == 0
        else { return nil }
        return log.lastID
    }

    /// Checks the rows of a log.
    ///
    /// - Throws: An error if the log has the wrong format.
    func examineLog(_ place: DeviceDatabase, _ findings: inout DoctorFindings) throws {
        guard let log = try examination(of: place) else { return }
        if let claimed = log.identity?.device, claimed != place.device {
            findings.markUnreadable(place.file)
            let (advice, command) = Self.advice(forCopyAt: place, of: claimed)
            return findings.add(
                "device-copy", .warning, place.file, of: place.device,
                "it identifies itself as the file of \(claimed); copies are not read",
                advice: advice, command: command)
        }
        add(log, place, &findings)
    }

    /// Returns the advice for a file that identifies itself as another device's. If that device has
    /// no such file, for example because its folder was renamed, the rows are nowhere else.
    private static func advice(
        forCopyAt place: DeviceDatabase, of device: DeviceID
    ) -> (text: String, command: String?) {
        guard let folder = try? place.package.device(device), !folder.has(place.model.kind) else {
            let suggestion = place.model.suggestion(forCopyAt: place.path, in: place.package)
            // The file may have rows that the device's own file lacks.
            return suggestion.action == .deleteFile
                ? ("compare it with the file of \(device), then delete one", nil)
                : (suggestion.text, suggestion.command)
        }
        do throws(ReplicationError) {
            try folder.checkIsDownloaded(place.model.kind)
        } catch {
            // Moving the file there could replace the one that isn't downloaded.
            return (
                "ask your sync service to download the \(place.model.kind.fileName) of \(device), "
                    + "then run tideline doctor again", nil
            )
        }
        let isMissing = !folder.exists
        let target = folder.path(of: place.model.kind)
        // An unfinished transaction is rolled back with the journal.
        let parts = ["-journal", "-wal", ""].filter { suffix in
            let stamp = try? FileStamp(ofFileAt: place.path + suffix)
            return suffix.isEmpty || stamp.map { $0.byteCount > 0 } ?? false
        }
        let moves = parts.map { ShellCommand.line("mv", "-n", place.path + $0, target + $0) }
        return (
            "it may be the only version, because the package has no other "
                + "\(place.model.kind.fileName) of \(device): move it to "
                + (isMissing ? "a new folder" : "the folder") + " Devices/\(device)",
            ([ShellCommand.line("mkdir", "-p", folder.path)] + moves).joined(separator: " && ")
        )
    }

    private func add(
        _ log: LogExamination, _ place: DeviceDatabase, _ findings: inout DoctorFindings
    ) {
        let (file, device) = (place.file, place.device)
        let isOwn = device == own
        if let problem = log.gapProblem {
            addUnreadable(
                place, "gap", problem,
                remedy: isOwn
                    ? "replace it with a complete copy, or accept the loss of the missing rows"
                    : nil,
                otherwise: Self.waitForRest, &findings)
        }
        if let problem = log.invalidRowsProblem {
            addUnreadable(
                place, "rows", problem,
                remedy: isOwn ? "copy the valid rows to a new file (the old file is kept)" : nil,
                otherwise: "replace it with a complete copy", &findings)
        }
        if log.brokenCount > 0 {
            let first = "row \(log.firstBroken ?? 0)"
            findings.add(
                "values", .warning, file, of: device,
                log.brokenCount == 1
                    ? "the value of \(first) can't be decoded; it is skipped"
                    : "\(Counted.grouped(log.brokenCount)) values can't be decoded, the first in "
                        + "\(first); they are skipped",
                advice: "write the values again, or replace the file with a complete copy")
        }
        if log.lostCount > 0 || log.perhapsLostCount > 0 {
            let more = "a damaged page may have held up to \(log.perhapsLostCount)"
            findings.add(
                "rows-lost", .note, file, of: device,
                "it was damaged and has been repaired: "
                    + (log.lostCount > 0
                        ? Counted.text(log.lostCount, "row was", "rows were") + " lost"
                            + (log.perhapsLostCount > 0 ? ", and \(more) more" : "")
                        : "\(more) rows; their numbers are not reused"))
        }
        if log.leftOutCount > 0 {
            findings.add(
                "row-times", .warning, file, of: device,
                "\(Counted.text(log.leftOutCount, "row")) with a time outside the years 1 to 9999, "
                    + "not read",
                advice: "check the device's clock")
        }
        addTimes(log, place, &findings)
        if log.forkedCount > 0 {
            findings.add(
                "fork", .note, file, of: device,
                "the device's own rows of \(Counted.text(log.forkedCount, "key")) are concurrent: "
                    + "it wrote to two copies of the log or from two programs at once, or the log "
                    + "was repaired; all rows are used",
                advice: "check whether these keys are in conflict",
                command: ShellCommand.line("tideline", "conflicts", place.package.path))
        }
    }

    /// Adds findings about rows and causal parents from the future.
    private func addTimes(
        _ log: LogExamination, _ place: DeviceDatabase, _ findings: inout DoctorFindings
    ) {
        let (file, device) = (place.file, place.device)
        if let newest = log.newest, clock.isImplausible(newest) {
            let isAhead =
                "its newest row has the time \(newest.secondText), "
                + "\(Self.ahead(newest, of: clock.now)) ahead of this machine's clock"
            if let followed = log.followed,
                log.newestLeading.map({ !clock.isImplausible($0) }) ?? true
            {
                findings.add(
                    "follows-ahead", .note, file, of: device,
                    "\(isAhead), because it follows a row of \(followed.name.quoted)",
                    advice: "correct the clock of \(followed.name.quoted); until "
                        + "\(newest.secondText), new writes of the same key get even later times "
                        + "and still win, and writes of other keys get normal times")
            } else {
                // Documents don't merge by time.
                let effect =
                    place.model.kind == .documents
                    ? ""
                    : "; its values win until \(newest.secondText), "
                        + "unless the keys are written again"
                findings.add(
                    "clock-ahead", .warning, file, of: device, isAhead,
                    advice: "correct the device's clock\(effect)")
            }
        }
        if log.futureClaimCount > 0 {
            findings.add(
                "future-claims", .warning, file, of: device,
                "\(Counted.text(log.futureClaimCount, "row claims", "rows claim")) to have seen "
                    + "rows that were written later; these claims are ignored "
                    + "(first: row \(log.firstFutureClaim ?? 0))",
                advice: "check the program that wrote the log; the keys can still be written")
        }
        if log.excessDeviceCount > 0 {
            findings.add(
                "device-names", .warning, file, of: device,
                "its rows refer to \(log.excessDeviceCount) devices; "
                    + "those without a log are ignored",
                advice: "check the program that wrote the log")
        }
        guard let own, device != own, let seen = log.seen[own],
            let severity = severity(ofMissingRowAt: seen, of: own, in: place.package)
        else { return }
        findings.add(
            "unknown-rows", severity, file, of: device,
            "the device claims to have seen a row that your device wrote at \(seen.fullText), but "
                + "your device's log lacks the row",
            advice: "if your device's log was deleted, replaced or restored from an older copy, "
                + "merge a newer copy; otherwise check the program that wrote the claim")
    }

    /// Returns the severity of the finding that this device's log of keys and values lacks a row;
    /// `nil` if it has the row, or if that is unknown.
    private func severity(
        ofMissingRowAt time: Timestamp, of device: DeviceID, in package: StorePackage
    ) -> DoctorFinding.Severity? {
        guard let folder = try? package.device(device) else { return nil }
        guard folder.has(.logs) else {
            // A log that is not downloaded is reported separately.
            return (try? folder.checkIsDownloaded(.logs)) == nil ? nil : .warning
        }
        let path = folder.path(of: .logs)
        let found = try? ForeignDatabase.value(from: path) { db in
            (
                try LogExamination.newest(keyValueLog: db),
                try LogExamination.lacksRow(at: time, keyValueLog: db)
            )
        }
        guard let (newest, isMissing) = found, let newest, isMissing else { return nil }
        if time > newest { return .warning }
        // The repair of a log reports the rows that were lost.
        return FileManager.default.fileExists(atPath: path + ".old") ? nil : .note
    }

    /// Formats a time span in a suitable unit, rounded.
    private static func ahead(_ newest: Timestamp, of now: Timestamp) -> String {
        let days = (newest.seconds(since: now) / 86_400).rounded()
        if days <= 1 { return "1 day" }
        return days >= 730 ? "\(Int((days / 365.2425).rounded())) years" : "\(Int(days)) days"
    }
}

extension LogExamination {
    var gapProblem: String? {
        gap.map { "row \($0) is missing; later rows up to \(lastID) are not used yet" }
    }

    var invalidRowsProblem: String? {
        guard invalidCount > 0 else { return nil }
        let first = "row \(firstInvalid ?? 0)"
        return invalidCount == 1
            ? "\(first) is invalid"
            : "\(Counted.grouped(invalidCount)) rows are invalid, the first is \(first)"
    }
}
