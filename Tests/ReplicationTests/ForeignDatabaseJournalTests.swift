import Foundation
import GRDB
import Replication
import TestSupport
import Testing

/// Files with a part of their state in a journal.
@Suite(.enabled(if: HelperProcess.isAvailable)) struct ForeignDatabaseJournalTests {
    private let folder: TemporaryFolder
    private let path: String
    private var random = SeededRandom(seed: 5)
    private let once = ForeignDatabase.Limits(waits: [])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Logs.db")
    }

    private func size(_ suffix: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
        return attributes?[.size] as? Int ?? -1
    }

    /// Leaves a file in the middle of a transaction, with the journal that rolls it back.
    private mutating func leaveHotJournal() throws {
        try Sample.append(200, to: path, bytes: 1_000, random: &random)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let writer = try HelperProcess("spill", path)
        #expect(writer.line() == "spilled")
        writer.kill()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) != whole)
        #expect(size("-journal") > 0)
    }

    @Test mutating func fileOfAKilledWriterIsReadWithoutItsTransaction() throws {
        try leaveHotJournal()
        let before = try FolderState(of: folder.path)
        #expect(try FileStamp(ofFileAt: path).rollbackJournal != nil)
        #expect(try Sample.read(path, limits: once) == 200)
        #expect(try Sample.read(path) == 200)
        #expect(try FolderState(of: folder.path) == before)
        // The device itself recovers its file.
        let own = Sample.database(path)
        #expect(try own.read { try Sample.count($0) } == 200)
        own.close()
        #expect(size("-journal") <= 0)
        #expect(try FileStamp(ofFileAt: path).isAlone)
    }

    /// The reader has waited for the device, which rolls back its transaction during the copy.
    @Test mutating func fileRecoveredDuringReadIsReadAgain() throws {
        try leaveHotJournal()
        var runs = 0
        // The journal counts as recent, however long the test takes.
        let left = try #require(try FileStamp(ofFileAt: path).rollbackJournal).modified
        var limits = ForeignDatabase.Limits(waits: [.milliseconds(1)])
        limits.now = { Timestamp(Date(timeIntervalSince1970: Double(left) / 1e9)) }
        let outcome = try ForeignDatabase.read(path, limits: limits) { db in
            runs += 1
            if runs == 1 {
                let own = Sample.database(path)
                #expect(try own.read { try Sample.count($0) } == 200)
                own.close()
            }
            return try Sample.count(db)
        }
        guard case .read(200, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(runs == 2)
    }

    @Test mutating func openTransactionIsInvisibleToReaders() throws {
        try Sample.append(200, to: path, bytes: 1_000, random: &random)
        let writer = try HelperProcess("spill", path)
        #expect(writer.line() == "spilled")
        #expect(try Sample.read(path) == 200)
        writer.kill()
    }

    @Test mutating func writeAheadLogIsReadFromACopy() throws {
        let writer = try HelperProcess("log", path)
        #expect(writer.line() == "logged")
        #expect(size("-wal") > 0)
        writer.kill()
        let before = try FolderState(of: folder.path)
        #expect(try Sample.read(path) == 500)
        #expect(try FolderState(of: folder.path) == before)
    }

    @Test mutating func journalThatNamesAnotherIsRefused() throws {
        try leaveHotJournal()
        // The data that SQLite would follow: page number, name, its length and checksum, the magic.
        let victim = folder.appending("victim")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        var tail = Data([0xff, 0xff, 0xff, 0xff]) + Data(victim.utf8)
        func append(_ number: Int) {
            tail.append(contentsOf: withUnsafeBytes(of: UInt32(number).bigEndian, Array.init))
        }
        append(victim.utf8.count)
        append(victim.utf8.reduce(0) { $0 + Int($1) })
        tail.append(contentsOf: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        let journal = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-journal"))
        try journal.seekToEnd()
        try journal.write(contentsOf: tail)
        try journal.close()
        expectCode(.unreadable) { try Sample.read(path, limits: once) }
        expectCode(.unreadable) { try Sample.database(path).write { _ in } }
        #expect(FileManager.default.fileExists(atPath: victim))
    }

    /// A sync service copied the journal and the database at different times.
    @Test mutating func journalOfAnotherStateIsNotPlayedBack() throws {
        try leaveHotJournal()
        let journal = try Data(contentsOf: URL(fileURLWithPath: path + "-journal"))
        try Sample.append(1, to: path, random: &random)
        for _ in 0..<3 { try Sample.append(50, to: path, random: &random) }
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        let before = try FolderState(of: folder.path)
        expectCode(.incomplete) { try Sample.read(path, limits: once) }
        expectCode(.incomplete) { try Sample.database(path).write { _ in } }
        #expect(try FolderState(of: folder.path) == before)
        // The correct journal arrives.
        try Data().write(to: URL(fileURLWithPath: path + "-journal"))
        #expect(try Sample.read(path) == 351)
    }

    /// A writer was killed after its first transaction had written the pages of a new file but
    /// before the journal was deleted.
    @Test mutating func journalOfTheFirstTransactionIsPlayedBack() throws {
        try runSQL("CREATE TABLE other (id INTEGER PRIMARY KEY)", at: path)
        // The file had no pages before, so the journal contains none.
        var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        for number in [0, 7, 0, 512, 4_096] as [UInt32] {
            journal.append(contentsOf: withUnsafeBytes(of: number.bigEndian, Array.init))
        }
        journal.append(Data(count: 512 - journal.count))
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        try Sample.append(3, to: path, random: &random)
        #expect(try Sample.read(path) == 3)
        #expect(size("-journal") <= 0)
        // After a second transaction, it belongs to another state.
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        expectCode(.incomplete) { try Sample.database(path).write { _ in } }
    }

    /// SQLite would not play back such journals, so the file is read as if there were none.
    @Test mutating func invalidJournalDoesNotPreventReading() throws {
        try Sample.append(10, to: path, random: &random)
        try Data("no journal at all ".utf8.cycled(576))
            .write(to: URL(fileURLWithPath: path + "-journal"))
        let before = try FolderState(of: folder.path)
        #expect(try FileStamp(ofFileAt: path).isAlone)
        #expect(try Sample.read(path, limits: once) == 10)
        #expect(try FolderState(of: folder.path) == before)
        try Sample.append(1, to: path, random: &random)
        #expect(try Sample.read(path, limits: once) == 11)
    }

    /// SQLite follows the name at a journal's end regardless of its start.
    @Test mutating func invalidJournalThatNamesAnotherIsRefused() throws {
        try Sample.append(10, to: path, random: &random)
        var journal = Data("no journal at all ".utf8.cycled(576))
        journal.append(contentsOf: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        try journal.write(to: URL(fileURLWithPath: path + "-journal"))
        expectCode(.unreadable) { try Sample.read(path, limits: once) }
        expectCode(.unreadable) { try Sample.database(path).write { _ in } }
    }

    @Test mutating func linkInPlaceOfTheJournalIsRefused() throws {
        try Sample.append(10, to: path, random: &random)
        let victim = folder.appending("victim")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.removeItem(atPath: path + "-journal")
        try FileManager.default.createSymbolicLink(
            atPath: path + "-journal", withDestinationPath: victim)
        expectCode(.unsafePath) { try Sample.read(path, limits: once) }
        expectCode(.unsafePath) { try Sample.database(path).write { _ in } }
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data("precious".utf8))
    }

    @Test mutating func privateCopiesAreRemoved() throws {
        try leaveHotJournal()
        var copy = ""
        _ = try ForeignDatabase.read(path, limits: once) { db in
            #expect(db.configuration.readonly == false)
            copy = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list") ?? ""
            #expect(try Sample.count(db) == 200)
        }
        #expect(copy != path && !copy.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: copy))
        let folder = URL(filePath: copy).deletingLastPathComponent().path
        #expect(folder.contains("tideline-read-"))
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test mutating func copyIsReusedWhileTheFilesAreUnchanged() throws {
        func copy() throws -> String {
            var copy = ""
            _ = try ForeignDatabase.read(path, limits: once) { db in
                copy = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list") ?? ""
                #expect(try Sample.count(db) == 200)
            }
            return copy
        }
        try leaveHotJournal()
        // Wait until the stamp detects every later change.
        try waitBlocking { try !FileStamp(ofFileAt: path).isFresh }
        let first = try copy()
        #expect(try copy() == first)
        // A nested reader makes its own copy.
        _ = try ForeignDatabase.read(path, limits: once) { db in
            let outer = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list")
            #expect(try copy() != outer)
        }
        let second = try copy()
        let journal = path + "-journal"
        let later = Date(timeIntervalSinceNow: -3_600)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: journal)
        let third = try copy()
        #expect(third != second)
        try Data().write(to: URL(fileURLWithPath: journal))
        _ = try? ForeignDatabase.read(path, limits: once) { try Sample.count($0) }
        #expect(try FileStamp(ofFileAt: path).isAlone)
    }
}

extension String.UTF8View {
    /// This many bytes of it, repeated.
    fileprivate func cycled(_ count: Int) -> Data {
        let bytes = Array(self)
        return Data((0..<count).map { bytes[$0 % bytes.count] })
    }
}
