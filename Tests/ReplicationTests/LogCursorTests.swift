import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@Suite struct LogCursorTests {
    private let table = LogTable(name: "a log", id: "number", mark: "time")
    private let identity: LogIdentity
    private let queue: DatabaseQueue

    init() throws {
        identity = LogIdentity(format: "test-1", device: try DeviceID("phone"))
        queue = try DatabaseQueue()
        let identity = identity
        try queue.write { db in
            try identity.insert(into: db)
            try db.execute(
                sql: #"CREATE TABLE "a log" (number INTEGER PRIMARY KEY, time INTEGER)"#)
        }
    }

    private func insert(_ ids: some Sequence<Int64>, time: Int64 = 100) throws {
        try queue.write { db in
            for id in ids {
                try db.execute(
                    sql: #"INSERT INTO "a log" VALUES (?, ?)"#, arguments: [id, time + id])
            }
        }
    }

    /// Reads row by row, as a store does.
    private func read(
        from cursor: LogCursor, identity: LogIdentity? = nil
    ) throws -> (ids: [Int64], progress: LogProgress) {
        try queue.read { db in
            var progress = try cursor.progress(
                in: db, table: table, identity: identity ?? self.identity)
            var ids: [Int64] = []
            let rows = try Row.fetchCursor(
                db, sql: #"SELECT number, time FROM "a log" WHERE number > ? ORDER BY number"#,
                arguments: [progress.start.lastID])
            while let row = try rows.next(), progress.accept(row[0], mark: row[1]) {
                ids.append(row[0])
            }
            return (ids, progress)
        }
    }

    private func readAll(from cursor: LogCursor) throws -> LogProgress {
        try queue.read { db in
            var progress = try cursor.progress(in: db, table: table, identity: identity)
            try progress.acceptAll(in: db)
            return progress
        }
    }

    @Test func onlyNewRowsAreRead() throws {
        try insert(1...5)
        let first = try read(from: .start)
        #expect(first.ids == [1, 2, 3, 4, 5])
        #expect(first.progress.startsOver)
        #expect(first.progress.gap == nil)
        let cursor = first.progress.cursor
        #expect(cursor == LogCursor(identity: identity.identity, lastID: 5, mark: 105))
        let second = try read(from: cursor)
        #expect(!second.progress.startsOver && !second.progress.hasRows && second.ids.isEmpty)
        try insert(6...8)
        let third = try read(from: cursor)
        #expect(third.ids == [6, 7, 8])
        #expect(!third.progress.startsOver && third.progress.hasRows)
        #expect(third.progress.cursor.lastID == 8)
    }

    @Test func readingStopsBeforeAGap() throws {
        try insert([1, 2, 3, 5, 6, 9])
        let first = try read(from: .start)
        #expect(first.ids == [1, 2, 3])
        #expect(first.progress.gap == 4)
        #expect(first.progress.cursor.lastID == 3)
        try insert([4])
        let second = try read(from: first.progress.cursor)
        #expect(second.ids == [4, 5, 6])
        #expect(second.progress.gap == 7)
        #expect(!second.progress.startsOver)
    }

    @Test(arguments: [[2, 3], [0, 1], [-5, 1, 2], [Int64.min, .max], [.max]] as [[Int64]])
    func logThatDoesNotStartWithOneHasNoUsableRows(ids: [Int64]) throws {
        try insert(ids, time: 0)
        let found = try read(from: .start)
        let positive = ids.filter { $0 > 0 }
        #expect(found.ids == (positive.first == 1 ? positive : []))
        #expect(found.progress.gap == (positive.first == 1 ? nil : 1))
        let all = try readAll(from: .start)
        #expect(all.cursor.lastID == (positive.first == 1 ? positive.last : 0))
        #expect(all.gap == found.progress.gap)
    }

    @Test func fileRestoredFromAnOlderCopyIsReadFromTheStart() throws {
        try insert(1...5)
        let cursor = try read(from: .start).progress.cursor
        try queue.write { try $0.execute(sql: #"DELETE FROM "a log" WHERE number > 3"#) }
        let found = try read(from: cursor)
        #expect(found.progress.startsOver)
        #expect(found.ids == [1, 2, 3])
    }

    @Test func logWithAnotherIdentityIsReadFromTheStart() throws {
        try insert(1...5)
        let cursor = try read(from: .start).progress.cursor
        let other = LogIdentity(format: "test-1", device: identity.device)
        let found = try read(from: cursor, identity: other)
        #expect(found.progress.startsOver)
        #expect(found.ids == [1, 2, 3, 4, 5])
        #expect(found.progress.cursor.identity == other.identity)
    }

    /// An old copy was restored, and other rows were appended to it.
    @Test func differentRowsUnderKnownIdsAreReadFromTheStart() throws {
        try insert(1...5)
        let cursor = try read(from: .start).progress.cursor
        try queue.write { try $0.execute(sql: #"DELETE FROM "a log" WHERE number > 3"#) }
        try insert(4...9, time: 5_000)
        let found = try read(from: cursor)
        #expect(found.progress.startsOver)
        #expect(found.ids.count == 9)
    }

    @Test func readingInAnyOrderReachesTheSameCursor() throws {
        var random = SeededRandom(seed: 23)
        for run in 0..<runCount(100) {
            try queue.write { try $0.execute(sql: #"DELETE FROM "a log""#) }
            let present = (1...30).filter { _ in UInt8.random(in: 0...15, using: &random) > 0 }
            try insert(present.map(Int64.init))
            let step = Int64.random(in: 0...20, using: &random)
            var cursor = LogCursor.start
            let first = try read(from: .start)
            if first.ids.count > step, step > 0 {
                cursor = LogCursor(
                    identity: identity.identity, lastID: step, mark: 100 + step)
            }
            let rows = try read(from: cursor).progress
            let all = try readAll(from: cursor)
            #expect(all.cursor == rows.cursor, "run \(run): \(present)")
            #expect(all.gap == rows.gap, "run \(run): \(present)")
            #expect(all.startsOver == rows.startsOver, "run \(run)")
            let expected = zip(present, 1...30).prefix { $0 == $1 }.count
            #expect(all.cursor.lastID == Int64(expected), "run \(run): \(present)")
        }
    }

    @Test func fileContainsItsIdentity() throws {
        let found = try queue.read { try LogIdentity.fetch(from: $0) }
        #expect(found == identity)
        let empty = try DatabaseQueue()
        #expect(try empty.read { try LogIdentity.fetch(from: $0) } == nil)
    }

    @Test(arguments: [
        "DELETE FROM meta WHERE key = 'device'", "UPDATE meta SET value = x'00'",
        "UPDATE meta SET value = NULL", "UPDATE meta SET value = '../x' WHERE key = 'device'",
        "UPDATE meta SET value = 'x' WHERE key = 'identity'",
        "UPDATE meta SET value = hex(zeroblob(9999)) WHERE key = 'format'",
        "DROP TABLE meta; CREATE VIEW meta AS SELECT 'format' AS key, 'x' AS value",
        "DROP TABLE meta; CREATE TABLE meta (key, other)",
    ])
    func fileWithInvalidIdentityIsRefused(change: String) throws {
        try queue.write { try $0.execute(sql: change) }
        #expect(throws: ReplicationError.self) {
            try queue.read { try LogIdentity.fetch(from: $0) }
        }
    }
}
