import Replication
import Synchronization

/// The list of problems that `tideline doctor` finds, and of devices that have disappeared since
/// they were read.
///
/// Files are checked when the list is shown. They are checked again only if a device's files or
/// journals change, or if the store is reloaded. A conflict copy of a file is shown as a conflict,
/// so that the user can keep one version.
final class ProblemsSource: RowSource {
    var info: ListInfo {
        let hasCopies = known?.contains { $0.original != nil } == true
        return ListInfo(
            "Problems", columns: Self.columns, filterFields: Self.schema.filterFields,
            edits: hasCopies ? [.resolve: writing.availability] : [:], hasPast: false,
            isComputedOnDemand: true,
            whyNoAlert: "problems are found by checking files; no device writes them")
    }

    /// A finding with its number, the path of the store, and the display name of the device.
    private typealias Listed = (
        number: Int, finding: DoctorFinding, path: String, device: String
    )

    static let columns = schema.columns
    private static let schema = ListSchema<Listed>(
        [
            ListColumn(
                "severity", "SEVERITY", width: 8, .choice(["error", "warning", "note"]),
                example: "severity:error"
            ) {
                let severity = $0.finding.severity
                return RowCell(severity.rawValue, severity == .note ? .dim : .problem)
            },
            ListColumn(
                "problem", "PROBLEM", minimumWidth: 46, isSortable: false,
                example: "problem:*row*"
            ) { RowCell($0.finding.problem.withRelativePaths(inStoreAt: $0.path)) },
            ListColumn(
                "file", "FILE", minimumWidth: 12, keepsEnd: true, example: "file:*Logs.db"
            ) { RowCell($0.finding.file, .key) },
            .device(minimumWidth: 8, id: { $0.finding.device }, name: { $0.device }),
            ListColumn("code", "CODE", width: 16, example: "code:gap") {
                RowCell($0.finding.code, .dim)
            },
        ],
        // A conflict copy is identified by its file, because the numbers of problems change when
        // others are solved.
        id: { RowID($0.finding.original == nil ? String($0.number) : $0.finding.file) },
        mark: { row, item in
            row.isConflict = item.finding.original != nil
            row.conflictCount = row.isConflict ? 1 : 0
            row.device = item.finding.device
            row.isDimmed = item.finding.severity == .note
        })

    private let doctor: Doctor
    private let writing: WriteAccess
    private let reports: @Sendable () -> [DeviceReport]
    private let found = Mutex(Found())

    private struct Found {
        var findings: [DoctorFinding]?
        /// The previous findings, shown while the files are checked again at the user's request.
        var former: [DoctorFinding]?
        /// Incremented whenever the findings become outdated.
        var version = 0
        /// Called when new findings are known.
        var notify: @Sendable () -> Void = {}
        var lookCount = 0
        /// The files that changed since the check. A journal may have been added or deleted.
        var changed: Set<DeviceFile> = []
        var isLookingAtChanged = false
        /// The delay before a file that is being written is checked again. It is doubled each time.
        var patience = ProblemsSource.firstPatience
    }

    private static let firstPatience = Duration.seconds(2)
    private static let lastPatience = Duration.seconds(64)

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - writing: Whether versions of files can be deleted.
    ///   - reports: Returns the device reports of the open stores. Only these stores know which
    ///     files have disappeared.
    init(
        _ doctor: Doctor, _ writing: WriteAccess,
        reports: @escaping @Sendable () -> [DeviceReport] = { [] }
    ) {
        self.doctor = doctor
        self.writing = writing
        self.reports = reports
    }

    /// Sets the function to be called when new findings are known.
    func onChange(_ notify: @escaping @Sendable () -> Void) {
        found.withLock { $0.notify = notify }
    }

    /// Discards the findings. The next access checks the files again.
    func forget() {
        found.withLock { found in
            (found.findings, found.former) = (nil, nil)
            found.version += 1
        }
    }

    /// Checks the files again, if they were checked before. The old findings stay until then.
    func recheck() {
        let wasLooked = found.withLock { found in
            found.former = found.findings ?? found.former
            found.findings = nil
            found.version += 1
            return found.former != nil
        }
        guard wasLooked else { return }
        Task.detached { [weak self] in _ = try? self?.findings() }
    }

    /// Checks all files again, if they have been checked before and the journals of one of `files`
    /// have changed. Waits a moment first, so that it doesn't disturb the writer.
    ///
    /// - Complexity: O(*n*) in the number of changed files, at most every two seconds. If a journal
    ///   changed, as ``Doctor/examine()``.
    func noteChange(of files: Set<DeviceFile>) {
        guard !files.isEmpty else { return }
        let begins = found.withLock { found in
            guard found.findings != nil || found.lookCount > 0 else { return false }
            found.changed.formUnion(files)
            defer { found.isLookingAtChanged = true }
            return !found.isLookingAtChanged
        }
        guard begins else { return }
        Task { [weak self] in
            repeat {
                try await Task.sleep(for: Self.firstPatience)
            } while self?.lookAtChanged() == true
        }
    }

    /// Checks the files whose journals changed.
    ///
    /// - Returns: Whether files remain to be checked, for example because they are being written.
    private func lookAtChanged() -> Bool {
        let (files, findings, isLooking) = found.withLock { found in
            defer { found.changed = [] }
            return (found.changed, found.findings, found.lookCount > 0)
        }
        // A running check may already have checked these files, so check them again later.
        let changes = Dictionary(
            grouping: findings != nil || isLooking ? files : [],
            by: { file in findings.map { doctor.hasJournalNews(file, since: $0) } ?? nil })
        if changes[true] != nil { recheck() }
        return found.withLock { found in
            found.changed.formUnion(changes[nil] ?? [])
            found.isLookingAtChanged = !found.changed.isEmpty
            return found.isLookingAtChanged
        }
    }

    /// The findings; `nil` before the first check.
    var known: [DoctorFinding]? { found.withLock { $0.findings ?? $0.former } }

    private func findings() throws -> [DoctorFinding] {
        let before = found.withLock { found in
            if found.findings == nil { found.lookCount += 1 }
            return found
        }
        if let known = before.findings { return known }
        defer { found.withLock { $0.lookCount -= 1 } }
        var (findings, isEarly) = try doctor.look()
        let firstNote = findings.firstIndex { $0.severity == .note } ?? findings.endIndex
        findings.insert(contentsOf: doctor.missingDevices(reports()), at: firstNote)
        let isNews = found.withLock { found in
            // Files may have changed after they were checked.
            guard found.version == before.version else { return false }
            defer { (found.findings, found.former) = (findings, nil) }
            return found.findings == nil
        }
        guard isNews else { return findings }
        before.notify()
        if isEarly {
            recheckLater()
        } else {
            found.withLock { $0.patience = Self.firstPatience }
        }
        return findings
    }

    /// Checks the files again after a delay, so that the current writer can finish.
    private func recheckLater() {
        let patience = found.withLock { found in
            defer { found.patience = min(found.patience * 2, Self.lastPatience) }
            return found.patience
        }
        Task { [weak self] in
            try await Task.sleep(for: patience)
            self?.recheck()
        }
    }

    /// The display names of devices.
    private var names: [DeviceID: String] {
        Dictionary(
            keepingFirst: reports().compactMap { report in
                report.name.map { (report.device, $0) }
            })
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let names = names
        let listed = try findings().enumerated().map { number, finding in
            (
                number: number, finding: finding, path: doctor.path,
                device: finding.device.map { names[$0] ?? $0.name } ?? ""
            )
        }
        return try await ItemList(listed, Self.schema).arrangedWindow(request.ofPresent)
    }

    private func finding(_ row: RowID) throws -> DoctorFinding? {
        let all = try findings()
        guard let number = Int(row.name), all.indices.contains(number) else {
            return all.first { $0.original != nil && RowID($0.file) == row }
        }
        return all[number]
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let finding = try finding(row) else { return nil }
        var sections = [
            Detail.Section(
                "Problem",
                [
                    Detail.Line(
                        "", finding.problem.withRelativePaths(inStoreAt: doctor.path),
                        finding.severity == .note ? .plain : .problem),
                    Detail.Line("file", finding.file, .key),
                    Detail.Line("severity", finding.severity.rawValue),
                ]
                    + (finding.device.map {
                        [Detail.Line("device", names[$0] ?? $0.name, .device)]
                    } ?? []))
        ]
        if let versions = try? versions(of: row) { sections += versions.sections() }
        if let advice = finding.advice {
            sections.append(Detail.Section("What to do", [Detail.Line("", advice)]))
        }
        if let command = finding.command {
            sections.append(Detail.Section("Command", [Detail.Line("", command, .string)]))
        }
        return Detail(title: finding.file, sections: sections)
    }

    // MARK: Conflict copies

    /// Returns the path of the original if a row is a conflict copy; otherwise `nil`. Doesn't wait
    /// while the files are checked again.
    private func original(of row: RowID) throws -> String? {
        let all = try known ?? findings()
        return all.first { $0.original != nil && RowID($0.file) == row }?.original
    }

    /// Returns the versions of the file if a row is a conflict copy; `nil` for other rows, and if
    /// the copy was deleted.
    private func versions(of row: RowID) throws -> BlobVersions? {
        guard let original = try original(of: row) else { return nil }
        let package = try StorePackage(opening: doctor.path)
        let place = original.split(separator: "/", maxSplits: 1)
        // The name of the folder of blobs has two spellings.
        let isBlob = place.count == 2 && place[0] == "Blobs"
        let files = isBlob ? package.blobs : package.files
        return try files.conflict(at: isBlob ? String(place[1]) : original).map {
            BlobVersions($0, in: files)
        }
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        try versions(of: row)?.rowConflict()
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        let (row, versions) = try resolved(by: edit)
        return try versions.preview(edit, file: original(of: row) ?? versions.conflict.path)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        let (row, versions) = try resolved(by: preview.edit)
        defer { recheck() }
        return try versions.apply(preview, to: row)
    }

    /// Returns the row and the versions of the file that an edit resolves.
    private func resolved(by edit: Edit) throws -> (row: RowID, versions: BlobVersions) {
        guard case .resolve(let row, _) = edit else {
            throw EditError(.unsupported, "problems can't be edited")
        }
        try writing.check()
        guard let versions = try versions(of: row) else {
            throw EditError(.notFound, "\(row.name) is no longer a conflict copy")
        }
        return (row, versions)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let finding = try finding(row) else { return [] }
        return (finding.command.map { [CopyForm("command", $0)] } ?? [])
            + [
                CopyForm("problem", finding.problem), CopyForm("file", finding.file),
                CopyForm("JSON", finding.json.line),
            ]
    }

    func records(of rows: [Row], at instant: Timestamp?) async throws -> [RowRecord] {
        try rows.map { row in
            var record = RowRecord(row, in: info)
            let finding = try finding(row.id)
            record.members.append(.init("advice", .optional(finding?.advice)))
            record.members.append(.init("command", .optional(finding?.command)))
            return record
        }
    }
}
