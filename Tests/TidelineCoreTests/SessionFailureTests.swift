import Replication
import Testing
import TidelineCore

/// The reason why a session can't show a store.
@Suite struct SessionFailureTests {
    @Test func failureHasTheCategoryOfItsError() {
        let refused = SessionFailure(ReplicationError(.noPermission, "Logs.db may not be read"))
        #expect(refused.category == .noPermission)
        #expect(refused.reason == "Logs.db may not be read")
        let gone = SessionFailure(
            CoreError(.notFound, "no such file", suggestion: "look elsewhere"))
        #expect(gone.category == .noSuchFile)
        #expect(gone.suggestion == "look elsewhere")
    }

    @Test func unknownFailureIsASystemError() {
        struct Unknown: Error {}
        #expect(SessionFailure(Unknown()).category == .inputOutput)
    }
}
