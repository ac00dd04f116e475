import Foundation
import GRDB
import Glibc
import Replication
import Synchronization
import TestSupport
import Testing

/// Prints latencies without asserting them. Runs if `TIDELINE_TIMES` is set.
@Suite(
    .serialized, .enabled(if: ProcessInfo.processInfo.environment["TIDELINE_TIMES"] != nil))
struct LatencyTests {
    @Test(arguments: [1_000, 200_000])
    func delaysOfForeignRowsArePrinted(rows: Int) throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("p"))
        let phone = try DeviceID("phone")
        let writer = LocalDatabase(.logs, of: phone, in: package) { db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, value BLOB)")
        }
        try writer.write { db in
            try db.execute(
                sql: """
                    INSERT INTO log (value) WITH RECURSIVE c(n) AS
                    (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < \(rows))
                    SELECT randomblob(60) FROM c
                    """)
        }
        let path = try writer.path()
        let clock = ContinuousClock()
        let times = Mutex<(first: [Duration], last: [Duration])>(([], []))
        let seen = DispatchSemaphore(value: 0)
        let last = Mutex(Int64(rows))
        let watcher = try PackageWatcher(package) { change in
            let outcome = try? ForeignDatabase.read(path) { db in
                try Int64.fetchAll(
                    db, sql: "SELECT id FROM log WHERE id > ?", arguments: [last.withLock { $0 }])
            }
            guard case .read(let ids, _) = outcome, let id = ids.last else { return }
            let now = clock.now
            last.withLock { $0 = id }
            times.withLock {
                $0.first.append(now - change.since)
                $0.last.append(now - change.until)
            }
            seen.signal()
        }
        var writes: [Duration] = []
        for _ in 0..<200 {
            writes.append(
                try clock.measure {
                    try writer.write {
                        try $0.execute(sql: "INSERT INTO log (value) VALUES (x'00')")
                    }
                })
            seen.wait()
            Thread.sleep(forTimeInterval: 0.012)
        }
        watcher.stop()
        for (name, list) in [
            ("first event to visible", times.withLock { $0.first }),
            ("last event to visible", times.withLock { $0.last }), ("the write itself", writes),
        ] {
            let sorted = list.sorted()
            print("\(rows) rows, \(name): median \(sorted[100]), 99th \(sorted[197])")
        }
    }
    @Test func processorTimeOfAnIdleWatcherIsPrinted() throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("p"))
        for number in 0..<20 { _ = try package.makeDeviceFolder(DeviceID("device \(number)")) }
        let watcher = try PackageWatcher(package) { _ in }
        func used() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1e6
        }
        let before = used()
        Thread.sleep(forTimeInterval: 5)
        print("processor time in five seconds at rest: \(used() - before) ms")
        watcher.stop()
    }
}
