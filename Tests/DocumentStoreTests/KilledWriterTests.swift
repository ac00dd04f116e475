import Automerge
import Foundation
import Glibc
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Writers that are killed with SIGKILL (data rule 9). Set `TIDELINE_RUNS=1000` for the full number
/// of kills.
@Suite struct KilledWriterTests {
    @Test(arguments: ["package", "folder"])
    func killedWriterLosesNoAcknowledgedEdit(_ form: String) throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: UInt64(ProcessInfo.processInfo.processIdentifier))
        var path = ""
        var (known, saved) = (Int64(0), Int64(0))
        for run in 0..<runCount(12) {
            if run % 50 == 0 {
                // Checking takes longer as the history grows.
                path = folder.appending("\(run).store")
                try make(form, path)
                saved += known
                known = 0
            }
            let said = try killed(
                [form, path, "anna"], after: .random(in: 0...120_000, using: &random))
            known = max(known, said ?? 0)
            let store = try open(form, path)
            var lasts: [Int64] = []
            for summary in store.documentSummaries() {
                let document = try #require(
                    try store.openDocument(summary.id), "run \(run): \(summary.id)")
                lasts.append(try last(in: document))
                #expect(store.problems(of: summary.id)?.isEmpty == true, "run \(run)")
            }
            // The writer numbers its edits and distributes them over three documents in turn. So
            // the last numbers of the documents differ by less than three.
            let newest = lasts.max() ?? 0
            #expect(newest >= known, "run \(run): \(newest) of \(known)")
            for last in lasts where newest >= 3 {
                #expect(last > newest - 3, "run \(run): \(lasts)")
            }
            known = newest
            try store.close()
        }
        saved += known
        print("killed writers, \(form): \(saved) edits saved")
        #expect(saved > 0)
    }

    private func make(_ form: String, _ path: String) throws {
        if form == "package" {
            _ = try StorePackage(creating: path)
        } else {
            try AutomergeStore(creatingStorageFolder: path).close()
        }
    }

    /// Opens the store as another device or process does.
    private func open(_ form: String, _ path: String) throws -> AutomergeStore {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        return form == "package"
            ? try AutomergeStore(package: path, configuration: configuration)
            : try AutomergeStore(
                storageFolder: path, isWritable: false, configuration: configuration)
    }

    private func last(in document: AutomergeStore.Document) throws -> Int64 {
        guard case .Scalar(.Int(let number))? = try document.get("last") else { return 0 }
        return number
    }

    /// Returns the last number that the writer reported as stored before it was killed.
    private func killed(_ arguments: [String], after delay: UInt32) throws -> Int64? {
        let writer = try RunningProgram("document-writer", arguments)
        // One in four writers is killed without waiting for its first line.
        let first = delay % 4 > 0 ? try writer.line() : nil
        usleep(delay)
        // Only the signal ends the writer, regardless of the state that the previous one left.
        #expect(try writer.end() == .signal(SIGKILL))
        return ([first].compactMap(\.self) + (try writer.lines())).compactMap { Int64($0) }.last
    }
}
