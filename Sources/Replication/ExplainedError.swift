/// The general kind of an error, in addition to its own code. The raw values are exit codes of
/// `sysexits.h`.
public enum FailureKind: Int32, Sendable, CaseIterable {
    /// The requested item doesn't exist: a key, entity, server, or document.
    case noAnswer = 1
    /// The command or request is invalid.
    case usage = 64
    /// The data is damaged or has an unexpected format.
    case badData = 65
    /// The file or folder to read doesn't exist.
    case noInput = 66
    /// Something could not be created.
    case cannotCreate = 73
    /// The operating system failed, or another process holds a lock on a file.
    case inputOutput = 74
    /// The write is in the file, but the disk didn't confirm it.
    case unconfirmed = 75
    case noPermission = 77
}

/// An error that describes how a program should report it and which exit code to use.
public protocol ExplainedError: Error {
    /// The general kind of failure, which determines the exit code.
    var kind: FailureKind { get }
    /// The file or folder that the error is about, if any.
    var subject: String? { get }
    /// The reason, as a clause without a full stop and without the subject.
    var reason: String { get }
    /// A suggestion for fixing the problem, if any.
    var wayOut: String? { get }
}

extension ExplainedError {
    /// `nil`: the error isn't about a file, or its reason names the file.
    public var subject: String? { nil }
    /// `nil`: there is no suggestion.
    public var wayOut: String? { nil }
}
