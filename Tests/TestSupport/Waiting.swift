import Glibc

/// The error of a condition that didn't become true in time.
public struct WaitFailure: Error, CustomStringConvertible {
    public let description: String
}

/// The maximum time to wait for a condition or a program. It is long, because many tests run at the
/// same time, possibly on a busy machine.
public let patience = Duration.seconds(600)

/// Waits until a condition holds.
///
/// - Throws: ``WaitFailure`` with the place of the call, after ``patience``; errors of `isSo`.
public func wait(
    file: StaticString = #fileID, line: Int = #line, until isSo: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !isSo() {
        guard ContinuousClock.now < deadline else { throw failure(file, line) }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Waits until a condition holds, and blocks the thread: for tests that aren't asynchronous.
///
/// - Throws: ``WaitFailure`` with the place of the call, after ``patience``; errors of `isSo`.
public func waitBlocking(
    file: StaticString = #fileID, line: Int = #line, until isSo: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + patience
    while try !isSo() {
        guard ContinuousClock.now < deadline else { throw failure(file, line) }
        usleep(2_000)
    }
}

private func failure(_ file: StaticString, _ line: Int) -> WaitFailure {
    WaitFailure(description: "\(file):\(line): the condition is still false after \(patience)")
}
