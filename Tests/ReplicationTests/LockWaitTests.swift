import Foundation
import TestSupport
import Testing

@testable import Replication

@Suite struct LockWaitTests {
    private let folder: TemporaryFolder
    private let path: String
    private let lockWait = LockWait(.seconds(5))
    private let start = ContinuousClock.now

    init() throws {
        folder = try TemporaryFolder()
        path = folder.appending("Logs.db")
        try Data().write(to: URL(filePath: path))
    }

    private func waits(_ tries: Int, _ seconds: Int) -> Bool {
        lockWait.wait(after: tries, for: path, at: start + .seconds(seconds))
    }

    /// As a process whose turn came earlier.
    private func write() throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data("row".utf8))
        try file.close()
    }

    @Test func waitForAnUnchangedFileEndsAtTheLimit() {
        #expect(waits(0, 0) && waits(1, 4))
        #expect(!waits(2, 6))
        // The next wait starts with the full time.
        #expect(waits(0, 7) && waits(1, 11))
    }

    @Test func waitContinuesWhileOthersWrite() throws {
        #expect(waits(0, 0))
        for turn in 1...14 {
            try write()
            #expect(waits(turn, turn * 4))
        }
        #expect(!waits(15, 62), "not for ever")
    }

    @Test func shortenedLimitAppliesToCurrentWaits() throws {
        #expect(waits(0, 0))
        lockWait.shorten(to: .milliseconds(100))
        try write()
        #expect(!waits(1, 3))
    }
}
