import Foundation
import TestSupport
import Testing

/// Commands that look for an item while a device's file has only arrived in part.
@Suite struct IncompleteFileTests {
    /// The exit code for "it doesn't exist", and the one for "it can't be known now".
    private static let (absent, unknown): (Int32, Int32) = (1, 74)

    @Test(arguments: [
        ("Logs.db", ["kv", "set", "STORE", "a", "1"], ["kv", "get", "STORE", "b"]),
        ("Logs.db", ["kv", "set", "STORE", "a", "1"], ["kv", "unset", "STORE", "b"]),
        (
            "Entities.db", ["entities", "add", "STORE", "--type", "book", "title=A"],
            ["entities", "show", "STORE", "b"]
        ),
        (
            "Entities.db", ["entities", "add", "STORE", "--type", "book", "title=A"],
            ["entities", "delete", "STORE", "b"]
        ),
        (
            "Documents.db", ["docs", "new", "STORE", "{}"],
            ["docs", "show", "STORE", "9E2B7A4C-0B1D-4E5F-8A6B-7C8D9E0F1A2B"]
        ),
    ])
    func itemThatAnIncompleteFileMayHoldIsNotReportedAsAbsent(
        _ file: String, _ writing: [String], _ asking: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let store = folder.appending("Notes.store")
        func tideline(_ device: String, _ arguments: [String]) throws -> ProgramResult {
            try ProgramResult.tideline(
                arguments.map { $0 == "STORE" ? store : $0 }, home: folder, device: device)
        }
        #expect(try tideline("mine", ["kv", "create", store]).status == 0)
        for device in ["mine", "theirs"] {
            let written = try tideline(device, writing)
            #expect(written.status == 0, "\(written.errors)")
        }
        #expect(try tideline("mine", asking).status == Self.absent)
        // A transfer has started, but no bytes have arrived.
        let log = try #require(FileHandle(forWritingAtPath: "\(store)/Devices/theirs/\(file)"))
        try log.truncate(atOffset: 0)
        let asked = try tideline("mine", asking)
        #expect(asked.status == Self.unknown, "\(asked.errors)")
        #expect(asked.errors.contains("theirs"))
    }
}
