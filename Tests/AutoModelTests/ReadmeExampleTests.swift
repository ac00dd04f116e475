import Foundation
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    /// The outsider's program is built and run by itself; here it is only the README's.
    @Test func theReadmeHasTheOutsidersProgram() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = tests.appending(path: "OutsiderPackage/Sources/outsider-models/main.swift")
        #expect(try Documentation.missingLines(of: source.path) == [])
    }
}
