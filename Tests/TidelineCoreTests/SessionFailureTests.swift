import Replication
import Testing
import TidelineCore

/// The reason why a session can't show a store, and the resulting exit code.
@Suite struct SessionFailureTests {
    @Test func failureHasTheKindOfItsError() {
        let refused = SessionFailure(ReplicationError(.noPermission, "Logs.db may not be read"))
        #expect(refused.kind == .noPermission)
        #expect(refused.reason == "Logs.db may not be read")
        let gone = SessionFailure(CoreError(.notFound, "no such file", wayOut: "look elsewhere"))
        #expect(gone.kind == .noInput)
        #expect(gone.wayOut == "look elsewhere")
    }

    @Test func unknownFailureIsASystemError() {
        struct Unknown: Error {}
        #expect(SessionFailure(Unknown()).kind == .inputOutput)
    }
}
