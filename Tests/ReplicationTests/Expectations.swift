import Replication
import Testing

/// Expects a ``ReplicationError`` with this code.
@discardableResult
func expectCode<Value>(
    _ code: ReplicationError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Value
) -> ReplicationError? {
    do {
        _ = try body()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as ReplicationError {
        #expect(
            error.code == code, "\(error.message)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
