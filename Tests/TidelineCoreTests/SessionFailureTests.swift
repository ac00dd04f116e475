import Replication
import Testing
import TidelineCore

/// What a session says of a store that it cannot show, and how a program ends because of it.
@Suite struct SessionFailureTests {
    @Test func aFailureMeansWhatItsErrorMeans() {
        let refused = SessionFailure(ReplicationError(.noPermission, "Logs.db may not be read"))
        #expect(refused.kind == .noPermission)
        #expect(refused.reason == "Logs.db may not be read")
        let gone = SessionFailure(CoreError(.notFound, "no such file", wayOut: "look elsewhere"))
        #expect(gone.kind == .noInput)
        #expect(gone.wayOut == "look elsewhere")
    }

    @Test func aFailureThatNothingIsKnownOfIsTheSystems() {
        struct Unknown: Error {}
        #expect(SessionFailure(Unknown()).kind == .inputOutput)
    }
}
