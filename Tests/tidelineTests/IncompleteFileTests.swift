import Foundation
import TestSupport
import Testing

/// Commands that look for an item while a device's file is incomplete or damaged.
@Suite struct IncompleteFileTests {
    /// The exit code for "it doesn't exist", and those for "it can't be known now".
    private static let (absent, incomplete, damaged): (Int32, Int32, Int32) = (1, 74, 65)

    /// A file, a command that writes to it, and one that asks for a missing item.
    static let questions: [(String, [String], [String])] = [
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
            "Entities.db", ["entities", "add", "STORE", "--type", "book", "title=A"],
            ["entities", "set", "STORE", "b", "title", "B"]
        ),
        (
            "Entities.db", ["entities", "add", "STORE", "--type", "book", "title=A"],
            ["entities", "relate", "STORE", "b", "author", "c"]
        ),
        (
            "Documents.db", ["docs", "new", "STORE", "{}"],
            ["docs", "show", "STORE", "9E2B7A4C-0B1D-4E5F-8A6B-7C8D9E0F1A2B"]
        ),
    ]

    @Test(arguments: questions)
    func itemThatAnUnreadFileMayHoldIsNotReportedAsAbsent(
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
        let log = URL(filePath: "\(store)/Devices/theirs/\(file)")
        // In the first case, a transfer has started, but no bytes have arrived.
        for (content, status) in [
            (Data(), Self.incomplete), (Data(repeating: 0x55, count: 8_192), Self.damaged),
        ] {
            try content.write(to: log)
            let asked = try tideline("mine", asking)
            #expect(asked.status == status, "\(asked.errors)")
            #expect(asked.errors.contains("theirs"))
        }
    }
}
