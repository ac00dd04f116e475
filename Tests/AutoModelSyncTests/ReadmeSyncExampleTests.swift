import Foundation
import TestSupport
import Testing

@Suite struct ReadmeSyncExampleTests {
    /// The program is built and run in its own package. This compares it with the README.
    @Test func readmeContainsTheOutsiderProgram() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = tests.appending(path: "OutsiderPackage/Sources/outsider-sync/Notes.swift")
        #expect(try Documentation.missingLines(of: source.path) == [])
    }
}
