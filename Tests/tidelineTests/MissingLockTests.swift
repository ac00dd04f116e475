import Foundation
import TestSupport
import Testing

/// Commands that write to a file system without support for locks.
@Suite struct MissingLockTests: CommandSuite {
    let stage: CommandStage

    init() throws { stage = try CommandStage() }

    private static let problem = Comment(rawValue: FailingSystem.problem ?? "")

    @Test(
        .enabled(if: FailingSystem.problem == nil, problem),
        arguments: [
            ("kv set STORE key value", "STORE/Devices/desk/Logs.db"),
            ("entities add STORE --type note", "STORE/Devices/desk/Entities.db"),
            ("docs new STORE Plans", "STORE/Devices/desk/Documents.db"),
            ("tables set DATABASE t 1 a 2", "DATABASE"),
        ])
    func errorOfAWriteNamesTheMissingLocks(_ line: String, _ file: String) throws {
        let database = folder.appending("t.db")
        try runSQL("CREATE TABLE t (a); INSERT INTO t VALUES (1)", at: database)
        func path(_ word: String) -> String {
            word.replacing("STORE", with: store).replacing("DATABASE", with: database)
        }
        let environment = ["HOME": folder.path, "TIDELINE_DEVICE": "desk"]
        let result = try ProgramResult.running(
            "tideline", line.split(separator: " ").map { path(String($0)) },
            environment: environment.merging(try FailingSystem.environmentWithoutLocks()) { $1 })
        #expect(result.status == 74)
        #expect(
            result.errors.contains("\(path(file)): the file system doesn't support locks\n"),
            "\(result.errors)")
        #expect(file == "DATABASE" || !FileManager.default.fileExists(atPath: path(file)))
    }
}
