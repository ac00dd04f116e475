import Foundation
import GRDB
import Glibc
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The effects of `--repair` on this device's own files, and the files that it leaves unchanged.
@Suite struct DoctorRepairTests {
    private let stage: DoctorStage
    private static let log = DoctorStage.annasLog

    init() throws { stage = try DoctorStage() }

    /// Expects a second run to find nothing to repair and no problems.
    private func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let again = try stage.doctor().repair()
        #expect(again.repairs == [], sourceLocation: sourceLocation)
        #expect(
            !Doctor.isWrong(again.findings), "\(again.findings)", sourceLocation: sourceLocation)
    }

    @Test func repairAcceptsAGapInTheOwnLogAndKeepsTheOldFile() throws {
        let before = try stage.rows("anna")
        try stage.shared.execute("anna", "DELETE FROM log WHERE id = 3")
        let damaged = try stage.data(Self.log)
        #expect(try stage.only("gap", Self.log).command?.hasSuffix("--repair") == true)
        let repairs = try stage.doctor().repair().repairs
        #expect(repairs.map(\.isDone) == [true])
        #expect(repairs.first?.kept == stage.path(Self.log) + ".old")
        #expect(try stage.data(Self.log + ".old") == damaged)
        let after = try stage.rows("anna")
        #expect(after.isSubset(of: before) && after.count == before.count - 1)
        try expectSound()
    }

    @Test func ownLogWithAZeroedHeaderIsRepaired() throws {
        let before = try stage.rows("anna")
        var log = try stage.data(Self.log)
        log.replaceSubrange(0..<100, with: Data(count: 100))
        try stage.write(log, Self.log)
        let found = try stage.only("damaged", Self.log)
        #expect(found.problem.contains("zeros") == false)
        #expect(found.advice?.contains("wait") == false)
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
        #expect(try stage.rows("anna") == before)
        try expectSound()
    }

    @Test func repairIsNotSuggestedIfNoRowIsReadable() throws {
        let log = try stage.data(Self.log)
        for bytes in [Data(repeating: 0x55, count: log.count), log.prefix(4096)] {
            try stage.write(Data(bytes), Self.log)
            let findings = try stage.findings()
            let found = try #require(findings.first { $0.file == Self.log }, "\(findings)")
            #expect(found.severity == .error && found.command == nil)
            #expect(found.problem.contains("none of its rows"), "\(found.problem)")
            #expect(found.advice?.contains("--device") == true)
            #expect(try stage.doctor().repair().repairs == [])
        }
    }

    /// Replaces this device's own log with one in the format of PARStore 1.
    private func writeParstoreLog() throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Old.store"))
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        configuration.format = .parstore1
        let store = KeyValueStore(
            package: package, device: try DeviceID("anna"), configuration: configuration)
        try store.load()
        for number in 0..<300 {
            try store.set(.string(String(repeating: "\(number) ", count: 50)), forKey: "\(number)")
        }
        try store.close()
        try stage.write(
            try Data(contentsOf: URL(filePath: "\(package.path)/\(Self.log)")), Self.log)
    }

    @Test(arguments: [false, true])
    func damagedPARStoreLogIsRepairedCompletelyOrNotAtAll(_ isHalf: Bool) throws {
        try writeParstoreLog()
        var log = try stage.data(Self.log)
        let middle = log.count / 2 / 4096 * 4096
        if isHalf {
            log = log.prefix(middle)
        } else {
            log.replaceSubrange(middle..<middle + 4096, with: Data(repeating: 0x55, count: 4096))
        }
        try stage.write(log, Self.log)
        let findings = try stage.findings()
        let found = try #require(findings.first { $0.file == Self.log }, "\(findings)")
        #expect(found.code == (isHalf ? "half-copied" : "damaged"))
        #expect(found.advice?.contains("all rows") == true)
        let repair = try #require(try stage.doctor().repair().repairs.first)
        #expect(!repair.isDone && repair.kept == nil)
        #expect(repair.outcome.contains("not all of its rows"), "\(repair.outcome)")
        #expect(try stage.data(Self.log) == log)
    }

    @Test func repairedLogCanBeWrittenAndReadByOthers() throws {
        try stage.shared.execute("anna", "DELETE FROM log WHERE id = 3")
        _ = try stage.doctor().repair()
        let store = try SharedPackage.store("anna", stage.shared.package, stage.shared.clock)
        try store.load()
        try store.set("new", forKey: "note/9")
        try store.close()
        #expect(try stage.rows("anna").contains { $0.key == "note/9" })
        #expect(try stage.findings().map(\.code) == ["kept"])
    }

    @Test func unfinishedTransactionIsRolledBack() throws {
        let rows = try stage.rows("anna")
        let (log, journal) = try stage.middleOfWriting("anna")
        try stage.write(log, Self.log)
        try stage.write(journal, Self.log + "-journal")
        let found = try stage.only("journal", Self.log + "-journal")
        #expect(found.severity == .warning)
        #expect(try stage.findings(own: "ben").map(\.severity) == [.note])
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
        #expect(try stage.rows("anna") == rows)
        try expectSound()
    }

    @Test func journalOfAnotherStateIsMovedAside() throws {
        let (_, journal) = try stage.middleOfWriting("anna")
        for number in 0..<5 { try stage.shared.write("anna", ["more": .integer(Int64(number))]) }
        let rows = try stage.rows("anna")
        try stage.write(journal, Self.log + "-journal")
        _ = try stage.only("stale-journal", Self.log + "-journal")
        let repairs = try stage.doctor().repair().repairs
        #expect(repairs.map(\.kept) == [stage.path(Self.log) + "-journal.old"])
        #expect(try stage.data(Self.log + "-journal.old") == journal)
        #expect(try stage.rows("anna") == rows)
        try expectSound()
    }

    @Test func writeAheadLogOfAnotherStateIsMovedAside() throws {
        let (_, log) = try stage.middleOfWriting("anna", wal: true)
        try runSQL(
            "PRAGMA journal_mode = DELETE", at: stage.path(Self.log), isTransaction: false)
        let rows = try stage.rows("anna")
        try stage.write(log, Self.log + "-wal")
        let store = try SharedPackage.store("anna", stage.shared.package, stage.shared.clock)
        try store.load()
        #expect(throws: (any Error).self) {
            try store.set("lost", forKey: "note/9")
            try store.save()
        }
        try? store.close()
        #expect(try stage.data(Self.log + "-wal") == log)
        _ = try stage.only("stale-journal", Self.log + "-wal")
        let repairs = try stage.doctor().repair().repairs
        #expect(repairs.map(\.kept) == [stage.path(Self.log) + "-wal.old"])
        #expect(try stage.rows("anna") == rows)
        try expectSound()
    }

    @Test func fileThatIsNotAJournalIsNotedAndMovedAside() throws {
        let rows = try stage.rows("anna")
        let junk = Data(repeating: 0x78, count: 576)
        try stage.write(junk, Self.log + "-journal")
        #expect(try stage.rows("anna") == rows)
        #expect(try stage.only("no-journal", Self.log + "-journal").severity == .note)
        #expect(try stage.findings(own: "ben").map(\.severity) == [.note])
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
        #expect(try stage.data(Self.log + "-journal.old") == junk)
        try expectSound()
    }

    @Test func journalOfADamagedLogIsReported() throws {
        try stage.shared.execute("anna", "DELETE FROM log WHERE id = 3")
        try stage.write(Data(repeating: 0, count: 600), Self.log + "-journal")
        let outcome = try #require(try stage.doctor().repair().repairs.first?.outcome)
        let name = "Logs.db.old-journal"
        #expect(outcome.contains("\"\(name)\""), "\(outcome)")
        #expect(try stage.data(Self.log + ".old-journal").count == 600)
    }

    @Test func journalWithoutADatabaseIsMovedAside() throws {
        let file = "Devices/anna/Entities.db-journal"
        try stage.write(Data(repeating: 0xD9, count: 600), file)
        _ = try stage.only("stale-journal", file)
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
        try expectSound()
    }

    @Test func writeAheadLogIsCheckpointed() throws {
        let count = try stage.rows("anna").count
        let (log, journal) = try stage.middleOfWriting("anna", wal: true)
        try? FileManager.default.removeItem(atPath: stage.path(Self.log) + "-shm")
        try stage.write(log, Self.log)
        try stage.write(journal, Self.log + "-wal")
        #expect(try stage.findings().map(\.code) == ["write-ahead-log"])
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
        #expect(try stage.data(Self.log + ".old-wal") == journal)
        #expect(try stage.rows("anna").count == count + 1)
        try expectSound()
    }

    @Test func leftoversAreRemovedOnceTheirWriterHasEnded() throws {
        let files = [
            "Blobs/.tideline-\(UUID().uuidString).tmp",
            "Devices/anna/.tideline-\(UUID().uuidString).tmp",
        ]
        let other = "Devices/ben/.tideline-\(UUID().uuidString).tmp"
        for file in files + [other] { try stage.write(Data("part".utf8), file) }
        #expect(try stage.findings().allSatisfy { $0.severity == .note })
        #expect(try stage.doctor().repair().repairs == [])
        let later = 2.0 * 86_400
        #expect(try stage.findings(later: later).count { $0.severity == .warning } == 3)
        let repairs = try stage.doctor(later: later).repair().repairs
        #expect(Set(repairs.map(\.file)) == Set(files))
        #expect(try stage.findings(later: later).map(\.file) == [other])
    }

    @Test func leftoverIndexIsRemoved() throws {
        try stage.write(Data(count: 32_768), Self.log + "-shm")
        #expect(try stage.findings().map(\.code) == ["journal"])
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
        #expect(try stage.findings() == [])
    }

    @Test func fileInUseByAnotherProcessIsNotRepaired() throws {
        try stage.shared.execute("anna", "DELETE FROM log WHERE id = 3")
        let file = open(stage.path(Self.log), O_RDWR)
        // The lock that SQLite in another process holds while it writes: the RESERVED byte, see
        // os.h.
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (0x4000_0001, 1)
        // F_OFD_SETLK: a lock of the descriptor, which other code in this process can't release.
        #expect(fcntl(file, 37, &lock) == 0)
        let (repairs, findings) = try stage.doctor().repair()
        #expect(repairs.map(\.isDone) == [false])
        #expect(Set(findings.map(\.code)) == ["busy", "gap"])
        close(file)
        #expect(try stage.doctor().repair().repairs.map(\.isDone) == [true])
    }
}
