import Automerge
import Foundation
import Glibc
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Data rule 9, with SIGKILL. `TIDELINE_RUNS=1000` for the full number of instants.
@Suite struct KilledWriterTests {
    @Test(arguments: ["package", "folder"])
    func nothingAcknowledgedIsLost(_ form: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        if form == "package" {
            _ = try StorePackage(creating: path)
        } else {
            try AutomergeStore(creatingStorageFolder: path).close()
        }
        var random = SeededRandom(seed: UInt64(ProcessInfo.processInfo.processIdentifier))
        var known: Int64 = 0
        var id: UUID?
        for run in 0..<runCount(12) {
            let lines = try killed(
                ["\(form)", path, "anna"], after: .random(in: 5_000...120_000, using: &random))
            id = lines.first.flatMap(UUID.init(uuidString:)) ?? id
            known = max(known, lines.dropFirst().compactMap { Int64($0) }.last ?? 0)
            guard let id else { continue }
            let store =
                form == "package"
                ? try AutomergeStore(package: path, configuration: configuration)
                : try AutomergeStore(
                    storageFolder: path, isWritable: false, configuration: configuration)
            let document = try #require(try store.openDocument(id), "run \(run)")
            var last: Int64 = 0
            if case .Scalar(.Int(let number))? = try document.get("last") { last = number }
            #expect(last >= known, "run \(run): \(last) of \(known)")
            #expect(store.problems(of: id)?.isEmpty == true, "run \(run)")
            known = last
        }
        #expect(known > 0)
    }

    /// What the writer said until it was killed.
    private func killed(_ arguments: [String], after delay: UInt32) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: Programs.built("document-writer"))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // Its first instants are as good to be killed in as any.
        var said = Data()
        if delay % 4 > 0 { said = output.fileHandleForReading.availableData }
        usleep(delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        said += try output.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
