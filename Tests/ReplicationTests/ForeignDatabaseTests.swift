import Foundation
import GRDB
import Glibc
import Replication
import TestSupport
import Testing

@Suite struct ForeignDatabaseTests {
    private let folder: TemporaryFolder
    private let path: String
    private var random = SeededRandom(seed: 3)
    private let once = ForeignDatabase.Limits(waits: [])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Logs.db")
    }

    @Test(arguments: ["Logs.db", "a b%?#é&=+.db", "'quoted\"", "%41.db", "new\nline"])
    mutating func readingChangesNothingWhateverTheName(name: String) throws {
        let path = folder.appending("x") + "/" + name
        try FileManager.default.createDirectory(
            atPath: folder.appending("x"), withIntermediateDirectories: false)
        try Sample.append(100, to: path, random: &random)
        let before = try FolderState(of: folder.path)
        let outcome = try ForeignDatabase.read(path) { db in
            #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM row") }
            #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE TABLE t (x)") }
            return try Sample.count(db)
        }
        guard case .read(100, let stamp) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try stamp == FileStamp(ofFileAt: path))
        #expect(try FolderState(of: folder.path) == before)
    }

    /// Makes the last change appear to be an hour ago.
    private func age(_ path: String) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
    }

    @Test mutating func fileIsIncompleteOnlyIfItsWholeFirstPageIsZero() throws {
        try Sample.append(100, to: path, random: &random)
        var file = try Data(contentsOf: URL(filePath: path))
        file.replaceSubrange(0..<100, with: Data(count: 100))
        for (bytes, code) in [
            (file, ReplicationError.Code.unreadable), (Data(count: file.count), .incomplete),
        ] {
            try bytes.write(to: URL(filePath: path))
            try age(path)
            let error = try #require(throws: ReplicationError.self) {
                _ = try ForeignDatabase.read(path, limits: once) { try Sample.count($0) }
            }
            #expect(error.code == code, "\(error)")
        }
    }

    @Test mutating func fileWithKnownStampIsNotOpened() throws {
        try Sample.append(10, to: path, random: &random)
        try age(path)
        guard case .read(_, let stamp) = try ForeignDatabase.read(path, Sample.count) else {
            return
        }
        let again = try ForeignDatabase.read(path, unless: stamp) { _ in Issue.record("opened") }
        guard case .unchanged = again else {
            Issue.record("read again")
            return
        }
        try Sample.append(1, to: path, random: &random)
        guard case .read(11, _) = try ForeignDatabase.read(path, unless: stamp, Sample.count) else {
            Issue.record("not read")
            return
        }
    }

    /// If the file system's clock hasn't ticked since then, another change leaves the same stamp.
    @Test mutating func freshStampDoesNotCountAsKnown() throws {
        try Sample.append(10, to: path, random: &random)
        let soon = Date(timeIntervalSinceNow: 5)
        try FileManager.default.setAttributes([.modificationDate: soon], ofItemAtPath: path)
        guard case .read(_, let stamp) = try ForeignDatabase.read(path, Sample.count) else {
            return
        }
        #expect(stamp.isFresh)
        guard
            case .read(10, let again) = try ForeignDatabase.read(path, unless: stamp, Sample.count)
        else {
            Issue.record("not read again")
            return
        }
        #expect(again == stamp)
    }

    @Test mutating func arrivingCopyIsIncompleteAndSparseCopyIsRead() throws {
        try Sample.append(300, to: path, random: &random)
        let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
        let copy = folder.appending("copy.db")
        // Leave out a page in the middle, as if it was never written.
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let file = open(copy, O_RDWR | O_CREAT, 0o600)
        try #require(file >= 0 && ftruncate(file, size) == 0)
        for page in 0..<(size / 4_096) where page != 5 {
            let bytes = [UInt8](whole[(page * 4_096)..<(page * 4_096 + 4_096)])
            _ = pwrite(file, bytes, bytes.count, page * 4_096)
        }
        close(file)
        func maximum(_ limits: ForeignDatabase.Limits) throws -> Int? {
            guard
                case .read(let id, _) = try ForeignDatabase.read(
                    copy, limits: limits,
                    { try Int.fetchOne($0, sql: "SELECT max(id) FROM row") })
            else { return nil }
            return id
        }
        let error = expectCode(.incomplete) { try maximum(once) }
        #expect(error?.message.contains("gaps") == true)
        var later = once
        later.now = { Timestamp(Date(timeIntervalSinceNow: 120)) }
        #expect(try maximum(later) == 300)
    }

    @Test mutating func copyIsReadIfTheFileCannotBeOpenedInPlace() throws {
        try Sample.append(30, to: path, random: &random)
        let before = try FolderState(of: folder.path)
        var limits = once
        limits.copies = true
        #expect(try Sample.read(path, limits: limits) == 30)
        #expect(try FolderState(of: folder.path) == before)
        #expect(truncate(path, 1 << 40) == 0)
        limits.arrivalTime = .zero
        expectCode(.tooLarge) { try Sample.read(path, limits: limits) }
    }

    @Test func missingFileIsNotFound() throws {
        expectCode(.notFound) { try Sample.read(path) }
    }

    @Test mutating func linkPipeAndFolderAreRefused() throws {
        let real = folder.appending("real.db")
        try Sample.append(1, to: real, random: &random)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: real)
        expectCode(.unsafePath) { try Sample.read(path) }
        let pipe = folder.appending("pipe.db")
        #expect(mkfifo(pipe, 0o600) == 0)
        expectCode(.unreadable) { try Sample.read(pipe, limits: once) }
        expectCode(.unreadable) { try Sample.read(folder.path, limits: once) }
    }

    @Test func shortFileIsIncomplete() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        expectCode(.incomplete) { try Sample.read(path, limits: once) }
        try Data(count: 65_536).write(to: URL(fileURLWithPath: path))
        expectCode(.incomplete) { try Sample.read(path, limits: once) }
        try Data("SQLite format 3\0".utf8).write(to: URL(fileURLWithPath: path))
        expectCode(.incomplete) { try Sample.read(path, limits: once) }
        try Data(String(repeating: "not a database. ", count: 50).utf8)
            .write(to: URL(fileURLWithPath: path))
        expectCode(.unreadable) { try Sample.read(path, limits: once) }
    }

    /// A truncated copy never counts as complete or as another file.
    @Test mutating func truncatedFileIsIncomplete() throws {
        try Sample.append(300, to: path, random: &random)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for _ in 0..<runCount(100) {
            let cut = Int.random(in: 0..<whole.count, using: &random)
            let part = folder.appending("part.db")
            try whole.prefix(cut).write(to: URL(fileURLWithPath: part))
            expectCode(.incomplete) { try Sample.read(part, limits: once) }
            // The rest is reserved but not transferred yet.
            try (whole.prefix(cut) + Data(count: whole.count - cut))
                .write(to: URL(fileURLWithPath: part))
            do {
                #expect(try Sample.read(part, limits: once) <= 300, "cut at \(cut)")
            } catch let error as ReplicationError {
                #expect([.incomplete, .unreadable].contains(error.code), "cut at \(cut)")
            }
        }
    }

    /// Damage results in rows or in a named error, without crashes, endless loops, or writes.
    @Test mutating func flippedBytesCauseNoCrash() throws {
        try Sample.append(300, to: path, random: &random)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var outcomes: [String: Int] = [:]
        for run in 0..<runCount(300) {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // Page headers and cell pointers are the most sensitive places.
                let page = Int.random(in: 0..<(whole.count / 4_096), using: &random) * 4_096
                let byte = page + Int.random(in: 0..<(run % 2 == 0 ? 120 : 4_096), using: &random)
                damaged[byte] = UInt8.random(in: 0...255, using: &random)
            }
            let file = folder.appending("damaged.db")
            try damaged.write(to: URL(fileURLWithPath: file))
            let before = try FolderState(of: folder.path)
            do {
                _ = try Sample.read(file, limits: once)
                outcomes["read", default: 0] += 1
            } catch let error as ReplicationError {
                #expect([.incomplete, .unreadable].contains(error.code), "run \(run): \(error)")
                outcomes["refused", default: 0] += 1
            }
            #expect(try FolderState(of: folder.path) == before, "run \(run)")
        }
        #expect(outcomes["refused", default: 0] > 0)
    }

    @Test mutating func changeDuringReadDiscardsTheResult() throws {
        try Sample.append(10, to: path, random: &random)
        var seen: [Int] = []
        let outcome = try ForeignDatabase.read(path) { db in
            let count = try Sample.count(db)
            seen.append(count)
            if seen.count == 1 { try Sample.append(5, to: path, random: &random) }
            return count
        }
        #expect(seen == [10, 15])
        guard case .read(15, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test mutating func fileReplacedDuringReadIsReadAgain() throws {
        let other = folder.appending("other.db")
        try Sample.append(10, to: path, random: &random)
        try Sample.append(10, to: other, random: &random)
        let clock = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(clock)], ofItemAtPath: other)
        var runs = 0
        _ = try ForeignDatabase.read(path) { db in
            runs += 1
            if runs == 1 { #expect(rename(other, path) == 0) }
            return try Sample.count(db)
        }
        #expect(runs == 2)
    }

    @Test mutating func fileThatKeepsChangingIsIncomplete() throws {
        try Sample.append(1, to: path, random: &random)
        let limits = ForeignDatabase.Limits(waits: [.zero, .zero, .zero], patience: .zero)
        var runs = 0
        let error = expectCode(.incomplete) {
            try ForeignDatabase.read(path, limits: limits) { _ in
                runs += 1
                try Sample.append(1, to: path, random: &random)
            }
        }
        #expect(runs == 4)
        #expect(error?.message.contains("being written") == true)
    }

    @Test mutating func fileIsReadWhenItsWriterPauses() throws {
        try Sample.append(1, to: path, random: &random)
        var runs: Int64 = 0
        let outcome = try ForeignDatabase.read(path) { db in
            runs += 1
            if runs < 12 { try Sample.append(1, to: path, random: &random) }
            return try Sample.count(db)
        }
        guard case .read(12, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(runs == 12)
    }

    @Test mutating func fileWrittenWithoutPauseIsSkipped() throws {
        try Sample.append(1, to: path, random: &random)
        let limits = ForeignDatabase.Limits(waits: [.zero], patience: .milliseconds(200))
        var runs = 0
        expectCode(.incomplete) {
            try ForeignDatabase.read(path, limits: limits) { _ in
                runs += 1
                try Sample.append(1, to: path, random: &random)
            }
        }
        #expect(runs > 2)
    }

    @Test mutating func errorOfTheReaderIsRethrown() throws {
        struct Mine: Error {}
        try Sample.append(1, to: path, random: &random)
        var runs = 0
        #expect(throws: Mine.self) {
            try ForeignDatabase.read(path) { _ in
                runs += 1
                throw Mine()
            }
        }
        #expect(runs == 1)
    }

    @Test mutating func viewIsNotATable() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE VIEW row AS WITH RECURSIVE c(id) AS
                        (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT id FROM c;
                    CREATE VIRTUAL TABLE search USING fts5(text);
                    CREATE TABLE computed (a, b AS (a + 1));
                    CREATE TABLE plain (a, B);
                    """)
        }
        try queue.close()
        for name in ["row", "ROW", "search", "computed"] {
            expectCode(.unreadable) {
                try ForeignDatabase.read(path) { try $0.ordinaryColumns(of: name) }
            }
        }
        guard
            case .read((["a", "B"], nil), _) = try ForeignDatabase.read(
                path, { (try $0.ordinaryColumns(of: "Plain"), try $0.ordinaryColumns(of: "none")) })
        else {
            Issue.record("wrong columns")
            return
        }
        // Reading the view anyway stops at the limit.
        let limits = ForeignDatabase.Limits(waits: [], instructionsPerByte: 0)
        expectCode(.unreadable) {
            try ForeignDatabase.read(path, limits: limits) { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM row")
            }
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["TIDELINE_TIMES"] != nil))
    mutating func timesOfOpeningArePrinted() throws {
        try Sample.append(1_000, to: path, random: &random)
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<200 {
            times.append(
                try clock.measure {
                    _ = try ForeignDatabase.read(path) { db in
                        try Int.fetchOne(db, sql: "SELECT max(id) FROM row")
                    }
                })
        }
        times.sort()
        print("opening and one query: median \(times[100]), 99th \(times[197])")
        try age(path)
        let stamp = try FileStamp(ofFileAt: path)
        let same = try clock.measure {
            for _ in 0..<1_000 { _ = try ForeignDatabase.read(path, unless: stamp) { _ in 0 } }
        }
        print("unchanged: \(same / 1_000)")
    }
}
