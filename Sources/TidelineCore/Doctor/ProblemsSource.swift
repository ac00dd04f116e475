import Replication
import Synchronization

/// What is wrong with a store's files, as `tideline doctor` tells it, and which devices have gone since
/// they were read. Nothing is looked at before somebody looks here, and not again before a device's
/// files are in another state, a journal is left beside one or taken away, or the store is read anew.
final class ProblemsSource: RowSource {
    let info = ListInfo(
        "Problems",
        columns: [
            Column("severity", "SEVERITY", width: 8, isSortable: true),
            Column("problem", "PROBLEM", minimumWidth: 24),
            Column("file", "FILE", minimumWidth: 12, isSortable: true),
            Column("device", "DEVICE", minimumWidth: 8, isSortable: true),
            Column("code", "CODE", width: 16, isSortable: true),
        ],
        filterFields: [
            FilterField(
                "severity", .choice(["error", "warning", "note"]), example: "severity:error"),
            FilterField("problem", example: "problem:*row*"),
            FilterField("file", example: "file:*Logs.db"),
            FilterField("device", .name, example: "device:ipad"),
            FilterField("code", example: "code:gap"),
        ], hasPast: false, isMadeOnSight: true,
        whyNoAlert: "they are found by looking at the files, and no device writes them")
    private let doctor: Doctor
    private let reports: @Sendable () -> [DeviceReport]
    private let found = Mutex(Found())

    private struct Found {
        var findings: [Finding]?
        /// Those that are told while the files are looked at anew because somebody asked.
        var former: [Finding]?
        /// How often they were to be looked for anew.
        var version = 0
        /// Told when they become known.
        var tell: @Sendable () -> Void = {}
        /// How many are looking at all files at this moment.
        var lookCount = 0
        /// Files that changed since: a journal may have been left beside them, or taken away.
        var changed: Set<DeviceFile> = []
        var isLookingAtChanged = false
        /// How long a file that is being written is left alone; longer each time it still is.
        var patience = ProblemsSource.firstPatience
    }

    private static let firstPatience = Duration.seconds(2)
    private static let lastPatience = Duration.seconds(64)

    /// - Parameter reports: What the open stores have of each device: a file that has gone is known to
    ///   them alone.
    init(_ doctor: Doctor, reports: @escaping @Sendable () -> [DeviceReport] = { [] }) {
        self.doctor = doctor
        self.reports = reports
    }

    /// Has `tell` called whenever they become known.
    func tell(_ tell: @escaping @Sendable () -> Void) { found.withLock { $0.tell = tell } }

    /// Has the files looked at again when somebody looks.
    func forget() {
        found.withLock { found in
            (found.findings, found.former) = (nil, nil)
            found.version += 1
        }
    }

    /// Looks at the files again, if they were looked at: until that is done, what was found stays.
    func lookAgain() {
        let wasLooked = found.withLock { found in
            found.former = found.findings ?? found.former
            found.findings = nil
            found.version += 1
            return found.former != nil
        }
        guard wasLooked else { return }
        Task.detached { [weak self] in _ = try? self?.findings() }
    }

    /// Looks at all files again, if they were looked at, where what is beside one of `files` is told
    /// otherwise. Whoever writes is left alone first.
    ///
    /// - Complexity: Every two seconds O(*n*) in the number of files that changed; then, where there
    ///   is news, as ``Doctor/examine()``.
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

    /// - Returns: Whether there are files left to look at: somebody writes them, or they changed
    ///   meanwhile.
    private func lookAtChanged() -> Bool {
        let (files, findings, isLooking) = found.withLock { found in
            defer { found.changed = [] }
            return (found.changed, found.findings, found.lookCount > 0)
        }
        // Who looks at all files at this moment may have passed these; whoever will look sees them.
        let news = Dictionary(
            grouping: findings != nil || isLooking ? files : [],
            by: { file in findings.map { doctor.hasJournalNews(file, since: $0) } ?? nil })
        if news[true] != nil { lookAgain() }
        return found.withLock { found in
            found.changed.formUnion(news[nil] ?? [])
            found.isLookingAtChanged = !found.changed.isEmpty
            return found.isLookingAtChanged
        }
    }

    /// What was found; `nil` before anybody looked.
    var known: [Finding]? { found.withLock { $0.findings ?? $0.former } }

    private func findings() throws -> [Finding] {
        let before = found.withLock { found in
            if found.findings == nil { found.lookCount += 1 }
            return found
        }
        if let known = before.findings { return known }
        defer { found.withLock { $0.lookCount -= 1 } }
        var (findings, isEarly) = try doctor.look()
        let firstNote = findings.firstIndex { $0.severity == .note } ?? findings.endIndex
        findings.insert(contentsOf: doctor.gone(reports()), at: firstNote)
        let isNews = found.withLock { found in
            // What came while it was looked may have been missed.
            guard found.version == before.version else { return false }
            defer { (found.findings, found.former) = (findings, nil) }
            return found.findings == nil
        }
        guard isNews else { return findings }
        before.tell()
        if isEarly {
            lookAgainLater()
        } else {
            found.withLock { $0.patience = Self.firstPatience }
        }
        return findings
    }

    /// Looks at the files again once what is being written was left alone for a while.
    private func lookAgainLater() {
        let patience = found.withLock { found in
            defer { found.patience = min(found.patience * 2, Self.lastPatience) }
            return found.patience
        }
        Task { [weak self] in
            try await Task.sleep(for: patience)
            self?.lookAgain()
        }
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = try findings().enumerated().map { number, finding in
            Row(
                id: RowID(String(number)),
                cells: [
                    RowCell(
                        finding.severity.rawValue, finding.severity == .note ? .dim : .problem),
                    RowCell(finding.problem.told(inStoreAt: doctor.path)),
                    RowCell(finding.file, .key),
                    RowCell(finding.device?.name ?? "", .device), RowCell(finding.code, .dim),
                ], device: finding.device, isDimmed: finding.severity == .note)
        }
        return try await RowList(rows).arranged(
            RowQuery(filter: request.query.filter, sort: request.query.sort), by: info
        ).window(request)
    }

    private func finding(_ row: RowID) throws -> Finding? {
        let all = try findings()
        return Int(row.name).flatMap { all.indices.contains($0) ? all[$0] : nil }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let finding = try finding(row) else { return nil }
        var sections = [
            Detail.Section(
                "Problem",
                [
                    Detail.Line(
                        "", finding.problem.told(inStoreAt: doctor.path),
                        finding.severity == .note ? .plain : .problem),
                    Detail.Line("file", finding.file, .key),
                    Detail.Line("severity", finding.severity.rawValue),
                ]
                    + (finding.device.map { [Detail.Line("device", $0.name, .device)] } ?? []))
        ]
        if let advice = finding.advice {
            sections.append(Detail.Section("What to do", [Detail.Line("", advice)]))
        }
        if let command = finding.command {
            sections.append(Detail.Section("Command", [Detail.Line("", command, .string)]))
        }
        return Detail(title: finding.file, sections: sections)
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
