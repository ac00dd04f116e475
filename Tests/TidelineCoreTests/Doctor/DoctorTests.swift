import EntityStore
import Foundation
import GRDB
import Glibc
import KeyValueStore
import Replication
import Synchronization
import TestSupport
import Testing

@testable import TidelineCore

/// Findings about a package: each kind of damage has a code and a file.
@Suite struct DoctorTests {
    private let stage: DoctorStage

    init() throws { stage = try DoctorStage() }

    @Test func soundPackageHasNoFindings() throws {
        let before = try FolderState(of: stage.shared.path)
        #expect(try stage.findings() == [])
        #expect(try stage.findings(own: nil) == [])
        #expect(try FolderState(of: stage.shared.path) == before)
    }

    @Test func demoHasNoFindings() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Demo.store")
        try await DemoStore().build(at: path)
        let before = try FolderState(of: path)
        #expect(try Doctor(path, own: DeviceID("anna-laptop")).examine() == [])
        for file in ["Logs.db", "Entities.db", "Documents.db", "Catalog.db"] {
            let file = "\(path)/Devices/anna-laptop/\(file)"
            #expect(try Doctor(file, own: nil).examine() == [])
        }
        #expect(try FolderState(of: path) == before)
    }

    @Test func damagedPageOfAnotherDeviceIsReportedNotRepaired() throws {
        var log = try stage.data(DoctorStage.bensLog)
        log.replaceSubrange(8192..<12_288, with: Data(repeating: 0x55, count: 4096))
        try stage.write(log, DoctorStage.bensLog)
        let found = try stage.only("damaged", DoctorStage.bensLog)
        #expect(found.device?.name == "ben" && found.severity == .error)
        #expect(found.command == nil && found.advice?.contains("complete copy") == true)
        let before = try FolderState(of: stage.shared.path)
        #expect(try stage.doctor().repair().repairs == [])
        #expect(try FolderState(of: stage.shared.path) == before)
    }

    @Test func partiallyCopiedFileIsReported() throws {
        let log = try stage.data(DoctorStage.bensLog)
        try stage.write(log.prefix(log.count / 2), DoctorStage.bensLog)
        let found = try stage.only("half-copied", DoctorStage.bensLog)
        #expect(found.device?.name == "ben")
        let (part, whole) = (Counted.grouped(log.count / 2), Counted.grouped(log.count))
        #expect(found.problem == "Logs.db is incomplete: \(part) of \(whole) bytes")
        try stage.write(Data(), DoctorStage.bensLog)
        _ = try stage.only("half-copied", DoctorStage.bensLog)
    }

    @Test func logTooLargeToRecoverIsReported() throws {
        let (log, journal) = try stage.middleOfWriting("ben")
        try stage.write(log, DoctorStage.bensLog)
        try stage.write(journal, DoctorStage.bensLog + "-journal")
        // All of the file except its start is a hole.
        #expect(truncate(stage.path(DoctorStage.bensLog), 17 << 30) == 0)
        let found = try #require(try stage.findings().first { $0.code == "too-large" })
        #expect(found.file == DoctorStage.bensLog)
        #expect(found.severity == .error && found.device?.name == "ben")
    }

    @Test func logThatIsNotDownloadedIsReported() throws {
        try FileManager.default.removeItem(atPath: stage.path(DoctorStage.bensLog))
        try stage.write(Data("bplist00".utf8), "Devices/ben/.Logs.db.icloud")
        let found = try stage.only("placeholder", "Devices/ben/.Logs.db.icloud")
        #expect(found.device?.name == "ben" && found.severity == .warning)
        #expect(found.problem.contains("Logs.db") && found.advice?.contains("download") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func logWithoutReadPermissionIsReportedWithACommand() throws {
        #expect(chmod(stage.path(DoctorStage.bensLog), 0) == 0)
        defer { chmod(stage.path(DoctorStage.bensLog), 0o600) }
        let found = try stage.only("no-permission", DoctorStage.bensLog)
        #expect(found.command?.contains("chmod u+r") == true)
    }

    @Test func missingRowIsAGap() throws {
        try stage.shared.execute("ben", "DELETE FROM log WHERE id = 1")
        let found = try stage.only("gap", DoctorStage.bensLog)
        #expect(found.problem.contains("row 1 ") && found.problem.contains("up to 2"))
    }

    struct Odd: Sendable, CustomTestStringConvertible {
        let code: String
        let severity: DoctorFinding.Severity
        let sql: String
        var testDescription: String { code }
    }

    static let odd = [
        Odd(code: "rows", severity: .error, sql: "UPDATE log SET timestamp = 'soon' WHERE id = 1"),
        Odd(code: "values", severity: .warning, sql: "UPDATE log SET value = x'00' WHERE id = 1"),
        Odd(
            code: "row-times", severity: .warning,
            sql: "UPDATE log SET timestamp = 9000000000000000000 WHERE id = 1"),
        Odd(code: "newer-form", severity: .error, sql: "PRAGMA user_version = 99"),
        Odd(code: "form", severity: .error, sql: "DROP TABLE latest"),
        Odd(
            code: "fork", severity: .note,
            sql: """
                CREATE TABLE fork (key TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID;
                INSERT INTO fork VALUES ('note/1/title')
                """),
    ]

    @Test(arguments: Self.odd) func invalidLogRowsAreReported(_ odd: Odd) throws {
        try stage.shared.execute("ben", odd.sql)
        let before = try FolderState(of: stage.shared.path)
        let found = try stage.only(odd.code, DoctorStage.bensLog)
        #expect(found.severity == odd.severity)
        #expect(try FolderState(of: stage.shared.path) == before)
    }

    @Test func clockAheadIsReportedWithItsOffset() throws {
        stage.shared.clock.advance(microseconds: 20 * 365 * 86_400 * 1_000_000)
        try stage.shared.write("ben", ["note/5": "late"])
        let found = try stage.only("clock-ahead", DoctorStage.bensLog)
        #expect(found.severity == .warning && found.problem.contains("years ahead"))
    }

    @Test func rowThatFollowsALaterRowIsNotAClockProblemOfItsWriter() throws {
        let years: Int64 = 20 * 365 * 86_400 * 1_000_000
        stage.shared.clock.advance(microseconds: years)
        try stage.shared.write("ben", ["note/5": "late"])
        stage.shared.clock.advance(microseconds: -years)
        try stage.shared.sync("anna")
        try stage.shared.write("anna", ["note/5": "corrected"])
        try stage.shared.write("anna", ["note/5": "corrected again", "note/6": "on time"])
        let findings = try stage.findings()
        #expect(findings.map(\.code) == ["clock-ahead", "follows-ahead"])
        let following = try #require(findings.last)
        #expect(following.file == DoctorStage.annasLog && following.severity == .note)
        #expect(following.problem.contains("ben") && following.advice?.contains("ben") == true)
        #expect(try stage.shared.agreed()["note/5"] == "corrected again")
        // A future row that follows no other future row comes from a wrong clock.
        stage.shared.clock.advance(microseconds: 2 * years)
        try stage.shared.write("anna", ["note/7": "late"])
        #expect(try stage.findings().map(\.code) == ["clock-ahead", "clock-ahead"])
    }

    @Test func rowThatFollowsARowAtTheEndOfTimeIsNotAProblemOfItsWriter() throws {
        try stage.shared.write("ben", ["note/5": "late"])
        let end = Timestamp.latest.microseconds
        try stage.shared.execute(
            "ben",
            """
            UPDATE log SET timestamp = \(end) WHERE key = 'note/5';
            UPDATE latest SET timestamp = \(end) WHERE key = 'note/5';
            """)
        try stage.shared.sync("anna")
        for value in ["corrected", "corrected again"] {
            try stage.shared.write("anna", ["note/5": .string(value)])
        }
        let findings = try stage.findings()
        #expect(findings.map(\.code) == ["clock-ahead", "follows-ahead"])
        #expect(findings.last?.file == DoctorStage.annasLog)
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        #expect(
            ["\(9999 - year)", "\(10_000 - year)"].contains {
                findings.first?.problem.contains("\($0) years ahead") == true
            })
    }

    @Test func deviceWithTheWrongClockIsNamedEvenIfOthersHaveWrittenAfterIt() throws {
        let years: Int64 = 20 * 365 * 86_400 * 1_000_000
        stage.shared.clock.advance(microseconds: years)
        try stage.shared.write("ben", ["note/5": "late"])
        stage.shared.clock.advance(microseconds: -years)
        for device in ["anna", "ben"] {
            try stage.shared.sync(device)
            try stage.shared.write(device, ["note/5": .string("corrected by \(device)")])
        }
        let findings = try stage.findings()
        #expect(
            Set(findings.map { "\($0.code) \($0.file)" }) == [
                "clock-ahead \(DoctorStage.bensLog)", "follows-ahead \(DoctorStage.annasLog)",
            ])
    }

    @Test func claimsFromTheFutureAreReported() throws {
        let end = Timestamp.latest.microseconds
        let list = withUnsafeBytes(of: end.bigEndian) { [99] + $0 }
            .map { String(format: "%02X", $0) }.joined()
        try stage.shared.execute(
            "ben",
            """
            INSERT INTO writer (ref, name) VALUES (99, 'dora');
            UPDATE log SET parents = X'\(list)' WHERE id = 2;
            """)
        let found = try stage.only("future-claims", DoctorStage.bensLog)
        #expect(found.severity == .warning && found.problem.contains("row 2"))
    }

    @Test func logThatNamesTooManyDevicesIsReported() throws {
        try stage.shared.execute(
            "ben",
            """
            WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
            INSERT INTO writer (ref, name) SELECT i, 'device ' || i FROM n;
            """)
        let found = try stage.only("device-names", DoctorStage.bensLog)
        #expect(found.severity == .warning && found.problem.contains("1102 devices"))
    }

    @Test func rowsOfThisDeviceThatOnlyOthersHaveSeenAreReported() throws {
        let older = try stage.data(DoctorStage.annasLog)
        try stage.shared.write("anna", ["note/5": "lost"])
        try stage.shared.sync("ben")
        try stage.shared.write("ben", ["note/5": "seen"])
        #expect(try stage.findings() == [])
        try stage.write(older, DoctorStage.annasLog)
        let found = try stage.only("unknown-rows", DoctorStage.bensLog)
        #expect(found.severity == .warning)
        // A new row doesn't hide the lost one.
        let store = try SharedPackage.store("anna", stage.shared.package, stage.shared.clock)
        try store.load()
        try store.set("new", forKey: "note/6")
        try store.close()
        #expect(try stage.only("unknown-rows", DoctorStage.bensLog).severity == .note)
    }

    @Test func entityRowsThatOnlyOthersHaveSeenAreReported() async throws {
        func set(_ name: EntityValue, _ device: String) async throws {
            let store = try await EntityStore.open(stage.shared.package, device: DeviceID(device))
            try await store.set([(EntityReference.identifier("eve"), ["name": name])])
            await store.close()
        }
        let store = try await EntityStore.open(stage.shared.package, device: DeviceID("anna"))
        try await store.add([(.new("person", identifier: "eve"), ["name": "Eve"])])
        await store.close()
        let file = "Devices/anna/Entities.db"
        let older = try stage.data(file)
        try await set("lost", "anna")
        try await set("seen", "ben")
        try stage.write(older, file)
        #expect(try stage.only("unknown-rows", file).severity == .warning)
    }

    @Test func deletedLogOfThisDeviceIsReportedIfOthersHaveSeenItsRows() throws {
        try FileManager.default.removeItem(atPath: stage.path("Devices/anna"))
        let found = try stage.findings().filter { $0.code == "unknown-rows" }
        #expect(found.contains { $0.file == DoctorStage.bensLog && $0.severity == .warning })
        #expect(try !stage.findings(own: "cleo").contains { $0.code == "unknown-rows" })
    }

    @Test(arguments: [(2.99, "3 days ahead"), (1.2, "1 day ahead"), (729.9, "2 years ahead")])
    func clockOffsetIsRounded(_ days: Double, _ text: String) throws {
        let newest = try #require(try stage.shared.rows("ben").map(\.timestamp).max())
        let now = Timestamp(microseconds: newest.microseconds - Int64(days * 86_400_000_000))
        let doctor = Doctor(stage.shared.path, own: nil, clock: HybridClock { now })
        let found = try #require(
            try doctor.examine().first {
                $0.code == "clock-ahead" && $0.file == DoctorStage.bensLog
            })
        #expect(found.problem.contains(", \(text) of"))
    }

    @Test func syncServiceCopiesAreReportedWithAMergeCommand() throws {
        let copy = "Devices/ben/Logs.sync-conflict-20260101-120000-ABC2DEF.db"
        try stage.write(stage.data(DoctorStage.bensLog), copy)
        let found = try stage.only("conflict-copy", copy)
        #expect(found.command == "tideline merge \(stage.shared.path) \(stage.path(copy))")
    }

    @Test(arguments: ["", "Papers/", "Devices/ben/"])
    func copyOfAnyFileIsComparedWithItsOriginal(folder: String) throws {
        let (original, copy) = ("\(folder)plan.txt", "\(folder)plan (conflicted copy).txt")
        try FileManager.default.createDirectory(
            atPath: stage.path(folder), withIntermediateDirectories: true)
        try stage.write(Data("tea".utf8), copy)
        let alone = try stage.only("conflict-copy", copy)
        #expect(alone.advice?.contains("\"plan.txt\"") == true && alone.command == nil)
        try stage.write(Data("coffee".utf8), original)
        let different = try stage.only("conflict-copy", copy)
        #expect(
            different.command == "diff \(stage.path(original)) '\(stage.path(copy))'")
        #expect(different.problem.contains("3 bytes") && different.problem.contains("has 6"))
        try stage.write(Data("tea".utf8), original)
        #expect(try stage.only("conflict-copy", copy).command == "rm '\(stage.path(copy))'")
    }

    @Test(arguments: [false, true])
    func copyIsNotRenamedToTheNameOfAnotherItem(isFolder: Bool) throws {
        let (original, copy) = ("Papers/plan.txt", "Papers/plan (conflicted copy).txt")
        let files = FileManager.default
        try files.createDirectory(
            atPath: stage.path(isFolder ? original : "Papers"), withIntermediateDirectories: true)
        if !isFolder {
            try files.createSymbolicLink(
                atPath: stage.path(original), withDestinationPath: "elsewhere")
        }
        try stage.write(Data("tea".utf8), copy)
        let found = try stage.only("conflict-copy", copy)
        #expect(found.advice?.hasPrefix("rename ") == true && found.command == nil)
    }

    @Test func copiesOfOtherDatabasesAreComparedRowByRow() throws {
        let copy = "Photos (conflicted copy).db"
        try stage.write(stage.data(DoctorStage.bensLog), "Photos.db")
        try stage.write(stage.data(DoctorStage.annasLog), copy)
        let found = try stage.only("conflict-copy", copy)
        #expect(
            found.command == "tideline diff \(stage.path("Photos.db")) '\(stage.path(copy))'")
    }

    @Test func catalogInASecondFolderOfADeviceIsComparedBeforeOneIsDeleted() throws {
        try stage.write(Data("one".utf8), "Devices/ben/Catalog.db")
        try stage.write(Data("another".utf8), "devices/ben/Catalog.db")
        let found = try #require(try stage.findings().first { $0.code == "conflict-copy" })
        #expect(found.file == "devices/ben/Catalog.db")
        #expect(found.advice?.hasPrefix("compare ") == true && found.command == nil)
    }

    @Test func copiedDeviceFolderIsReportedWithAMergeCommand() throws {
        let copy = "Devices/ben (conflicted copy 2026-11-21)"
        try FileManager.default.copyItem(
            atPath: stage.path("Devices/ben"), toPath: stage.path(copy))
        let found = try stage.only("device-copy", copy)
        #expect(found.command == "tideline merge \(stage.shared.path) '\(stage.path(copy))'")
    }

    @Test func logInAnotherDevicesFolderIsReported() throws {
        try stage.write(stage.data(DoctorStage.bensLog), "Devices/dora/Logs.db")
        let found = try stage.only("device-copy", "Devices/dora/Logs.db")
        #expect(found.problem.contains("ben"))
        #expect(found.command?.hasPrefix("tideline merge ") == true)
    }

    @Test func onlyFileOfADeviceIsNotDeletedBecauseItsFolderWasRenamed() throws {
        let files = FileManager.default
        try files.moveItem(atPath: stage.path("Devices/ben"), toPath: stage.path("Devices/dora"))
        let found = try stage.only("device-copy", "Devices/dora/Logs.db")
        #expect(found.advice?.contains("delete") == false)
        let (from, folder) = (stage.path("Devices/dora/Logs.db"), stage.path("Devices/ben"))
        #expect(found.command == "mkdir -p \(folder) && mv -n \(from) \(folder)/Logs.db")
    }

    @Test func copyOfAFileThatIsNotDownloadedIsNotMovedToItsPlace() throws {
        try stage.write(stage.data(DoctorStage.bensLog), "Devices/dora/Logs.db")
        try FileManager.default.removeItem(atPath: stage.path(DoctorStage.bensLog))
        try stage.write(Data("bplist00".utf8), "Devices/ben/.Logs.db.icloud")
        let found = try #require(try stage.findings().first { $0.code == "device-copy" })
        #expect(found.file == "Devices/dora/Logs.db")
        #expect(found.advice?.contains("download") == true && found.command == nil)
    }

    @Test func entriesThatAreNotFilesAreReported() throws {
        try FileManager.default.createSymbolicLink(
            atPath: stage.path("Blobs/link"), withDestinationPath: "/etc/passwd")
        let link = try stage.only("unsafe-entry", "Blobs/link")
        #expect(link.command == "rm \(stage.path("Blobs/link"))")
        try FileManager.default.removeItem(atPath: stage.path("Blobs/link"))
        try FileManager.default.removeItem(atPath: stage.path(DoctorStage.bensLog))
        #expect(mkfifo(stage.path(DoctorStage.bensLog), 0o600) == 0)
        let pipe = try stage.only("unsafe-entry", DoctorStage.bensLog)
        #expect(pipe.severity == .error && pipe.device?.name == "ben")
    }

    @Test func linkInPlaceOfADeviceIsReported() throws {
        try FileManager.default.createSymbolicLink(
            atPath: stage.path("Devices/dora"), withDestinationPath: stage.path("Devices/ben"))
        // The link may lead to the only copy of the data.
        #expect(try stage.only("unsafe-entry", "Devices/dora").command == nil)
        let info = try StoreInfo(of: stage.shared.path)
        #expect(
            info.problems.contains { $0.hasPrefix("Devices/dora: ") && $0.contains("link") })
    }

    @Test func fileInPlaceOfTheBlobsIsReported() throws {
        try? FileManager.default.removeItem(atPath: stage.path("Blobs"))
        #expect(creat(stage.path("Blobs"), 0o600) >= 0)
        let found = try stage.only("stray-file", "Blobs")
        #expect(found.severity == .warning)
    }

    @Test func namesThatDifferOnlyInNormalizationAreReported() throws {
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            #expect(creat(stage.path("Blobs/\(name)"), 0o600) >= 0)
        }
        #expect(try stage.findings().map(\.code) == ["equal-names"])
    }

    @Test func nameThatIsNotUTF8IsReported() throws {
        var name = Array(stage.path("Blobs/caf").utf8.map(CChar.init(bitPattern:)))
        name += [CChar(bitPattern: 0xE9), 0]
        #expect(creat(name, 0o600) >= 0)
        #expect(try stage.only("undecodable-name", "Blobs/caf\\xE9").severity == .warning)
    }

    @Test func thousandsOfOneKindAreCountedButNotListed() throws {
        for number in 0..<150 {
            try FileManager.default.createSymbolicLink(
                atPath: stage.path("Blobs/\(number)"), withDestinationPath: "/nowhere")
        }
        let findings = try stage.findings()
        #expect(findings.count == 101)
        #expect(findings.last?.problem.hasPrefix("50 ") == true)
    }

    @Test func missingPathIsAnErrorAndOtherFilesAreFindings() throws {
        let folder = try TemporaryFolder()
        let file = folder.appending("note.txt")
        #expect(throws: ReplicationError.self) { try Doctor(file, own: nil).examine() }
        try "just words".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try Doctor(file, own: nil).examine().map(\.code) == ["not-a-store"])
        try Data().write(to: URL(filePath: file))
        #expect(try Doctor(file, own: nil).examine().map(\.code) == ["not-a-store"])
    }

    @Test func commandsAreQuotedForTheShell() throws {
        for word in ["plain/path.db", "two words", "it's", "", "$HOME", "a\nb", "'\u{301}", "~"] {
            let result = try ProgramResult.running(
                executable: "/bin/sh", ["-c", ShellCommand.line("printf", "%s", word)],
                environment: [:])
            #expect(result.output.utf8.elementsEqual(word.utf8), "\(word.debugDescription)")
        }
    }

    @Test func problemsPaneShowsTheFindings() async throws {
        try stage.shared.execute("ben", "DELETE FROM log WHERE id = 1")
        let pane = try await PaneSession(stage.shared.path, device: "anna")
        let rows = try await pane.rows(.problems)
        let found = try stage.only("gap", DoctorStage.bensLog)
        #expect(rows.map { $0.cells[1].text } == [found.problem])
        let detail = try await pane.detail(.problems, rows[0].id.name)
        let texts = detail.sections.flatMap(\.lines).map(\.text)
        #expect(texts.contains(found.problem) && texts.contains(found.advice ?? "?"))
        #expect(try await pane.names(.problems, "severity:error").count == 1)
        #expect(try await pane.names(.problems, "severity:note").isEmpty)
        await pane.close()
    }

    @Test func problemsStayVisibleDuringARecheck() async throws {
        let log = stage.shared.logPath("ben")
        let whole = try Data(contentsOf: URL(filePath: log))
        try stage.shared.execute("ben", "DELETE FROM log WHERE id = 1")
        let part = DoctorPart(stage.shared.path, own: nil)
        _ = try await part.panes[0].source.window(WindowRequest(count: 10))
        #expect(part.status.counts == [.problems: 1])
        await part.reload()
        #expect(part.status.counts == [.problems: 1])
        try whole.write(to: URL(filePath: log))
        await part.reload()
        try await wait { part.status.counts == [.problems: 0] }
    }

    @Test func problemCountIsReportedAfterTheCheck() async throws {
        try stage.shared.execute("ben", "DELETE FROM log WHERE id = 1")
        let part = DoctorPart(stage.shared.path, own: nil)
        let reported = Mutex([SessionEvent.Kind]())
        part.start { event in reported.withLock { $0.append(event.kind) } }
        #expect(part.status.counts.isEmpty)
        for _ in 0..<2 { _ = try await part.panes[0].source.window(WindowRequest(count: 10)) }
        #expect(reported.withLock { $0 } == [.devices], "once")
        #expect(part.status.counts == [.problems: 1])
    }
}
