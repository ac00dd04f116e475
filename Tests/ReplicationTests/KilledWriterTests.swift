import Foundation
import GRDB
import Replication
import TestSupport
import Testing

/// Data rule 9, with SIGKILL.
@Suite(.enabled(if: HelperProcess.isAvailable)) struct KilledWriterTests {
    /// Set `TIDELINE_RUNS=1000` for the full number of runs.
    @Test func killedWritersLoseNoAcknowledgedTransaction() throws {
        let folder = try TemporaryFolder()
        var path = ""
        var random = SeededRandom(seed: UInt64(ProcessInfo.processInfo.processIdentifier))
        /// The batches that must exist, and those that may exist because a writer was killed before
        /// acknowledging them.
        var (known, unacknowledged) = (0, 0)
        var (batches, recovered) = (0, 0)
        func check(_ count: Int, _ run: Int) {
            #expect(count >= known && count <= known + unacknowledged, "run \(run)")
            known = max(known, count)
            unacknowledged = 0
        }
        for run in 0..<runCount(30) {
            if run % 50 == 0 {
                // The cost of checking grows with the file.
                path = folder.appending("\(run).db")
                batches += known
                (known, unacknowledged) = (0, 0)
            }
            let writer = try HelperProcess("append", path)
            // Kill the process while it starts, or some transactions later.
            var first: String?
            if run % 4 > 0 { first = writer.line() }
            usleep(.random(in: 0...60_000, using: &random))
            writer.kill()
            if let last = (writer.lines().last ?? first).flatMap({ Int($0) }) {
                #expect(last > known, "run \(run)")
                (known, unacknowledged) = (last, 0)
            }
            unacknowledged += 1
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let isHot = (try? FileStamp(ofFileAt: path))?.rollbackJournal != nil
            recovered += isHot ? 1 : 0
            // Another device reads the file before any process has recovered it.
            if known > 0 {
                let outcome = try ForeignDatabase.read(
                    path, limits: .init(waits: []), Self.batches)
                guard case .read(let count, _) = outcome else { continue }
                check(count, run)
            }
            // In every other run, the device itself reads the file, which recovers it. In the other
            // runs, the next writer recovers it.
            if run % 2 == 0 {
                check(try Sample.database(path).read(Self.batches) ?? 0, run)
            }
        }
        batches += known
        print("killed writers: \(batches) batches saved, \(recovered) hot journals")
        #expect(batches > 0)
    }

    private static func batches(_ db: Database) throws -> Int {
        guard try db.ordinaryColumns(of: "row") != nil else { return 0 }
        _ = try Sample.count(db)
        #expect(try String.fetchAll(db, sql: "PRAGMA quick_check") == ["ok"])
        return try Int.fetchOne(db, sql: "SELECT max(batch) FROM row") ?? 0
    }
}
