import Foundation
import GRDB
import TestSupport
import Testing

/// Logs that SQLite reads without an error although they are inconsistent.
@Suite struct DamagedLogCommandTests {
    @Test(.enabled(if: Programs.installed("timeout") != nil, "timeout is not installed"))
    func logWithMissingRowsIsPrintedToItsEnd() throws {
        let folder = try TemporaryFolder()
        let store = folder.appending("Notes.store")
        let environment = ["XDG_STATE_HOME": folder.appending("state"), "HOME": folder.path]
        func tideline(_ device: String, _ arguments: String...) throws -> ProgramResult {
            try ProgramResult.running(
                executable: try #require(Programs.installed("timeout")),
                ["180", Programs.built("tideline")] + arguments,
                environment: environment.merging(["TIDELINE_DEVICE": device]) { $1 })
        }
        #expect(try tideline("a", "kv", "create", store).status == 0)
        for number in 0..<3 {
            #expect(try tideline("a", "kv", "set", store, "a/\(number)", "1").status == 0)
            #expect(try tideline("b", "kv", "set", store, "b/\(number)", "1").status == 0)
        }
        // The index by time is a copy of the index by key, so rows are found by neither.
        let queue = try DatabaseQueue(path: "\(store)/Devices/b/Logs.db")
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET rootpage =
                        (SELECT rootpage FROM sqlite_master WHERE name = 'log_key')
                        WHERE name = 'log_timestamp';
                    """)
        }
        try queue.close()
        let printed = try tideline("a", store, "--linear", "--pane", "log")
        #expect(printed.status == 0, "\(printed.errors)")
        #expect((0..<3).allSatisfy { printed.output.contains("key a/\($0)") })
    }
}
