import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@Suite struct ForeignDatabaseTests {
    private func makeLog(_ path: String, rows: Int) throws {
        let database = LocalDatabase(path: path) { db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS row (id INTEGER PRIMARY KEY, value TEXT)")
        }
        try database.write { db in
            for number in 0..<rows {
                try db.execute(sql: "INSERT INTO row (value) VALUES (?)", arguments: ["v\(number)"])
            }
        }
        database.close()
    }

    @Test func readsWhatAnotherWrote() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("a b%?#é.db")
        try makeLog(path, rows: 100)
        let outcome = try ForeignDatabase.read(path) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM row")
        }
        guard case .read(let count, let stamp) = outcome else {
            Issue.record("not read")
            return
        }
        #expect(count == 100)
        let again = try ForeignDatabase.read(path, unless: stamp) { _ in Issue.record("opened") }
        guard case .unchanged = again else {
            Issue.record("read again")
            return
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["TIDELINE_TIMES"] != nil))
    func openingIsCheap() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Logs.db")
        try makeLog(path, rows: 1_000)
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
        let (_, stamp) = (0, try FileStamp(ofFileAt: path))
        let same = try clock.measure {
            for _ in 0..<1_000 { _ = try ForeignDatabase.read(path, unless: stamp) { _ in 0 } }
        }
        print("unchanged: \(same / 1_000)")
    }
}
