/// What an error means to whoever asked, beside its own code: the exit codes of `sysexits.h` that a
/// program ends with.
public enum FailureKind: Int32, Sendable, CaseIterable {
    /// The question has no answer: no such key, entity, server, document.
    case noAnswer = 1
    /// The question itself is wrong.
    case usage = 64
    /// The data is damaged or not what it says.
    case badData = 65
    /// There is no such file or folder to read.
    case noInput = 66
    /// Something could not be created.
    case cannotCreate = 73
    /// The operating system failed, or another process keeps a file locked.
    case inputOutput = 74
    /// The write is in the file, but the disk did not confirm it.
    case unconfirmed = 75
    case noPermission = 77
}

/// An error that tells what a program should say of it, and how to end.
public protocol ExplainedError: Error {
    /// What it means to whoever asked, and so the exit code.
    var kind: FailureKind { get }
    /// The file or folder that it is about, where it is about one.
    var subject: String? { get }
    /// Why, as a clause without a full stop, and without the subject.
    var reason: String { get }
    /// What to do about it, where there is something.
    var wayOut: String? { get }
}

extension ExplainedError {
    /// `nil`: the error is about no file, or tells of it in its reason.
    public var subject: String? { nil }
    /// `nil`: there is nothing to advise.
    public var wayOut: String? { nil }
}
