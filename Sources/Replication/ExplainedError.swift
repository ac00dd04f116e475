/// The general kind of an error, in addition to its own code.
public enum ErrorCategory: Sendable, CaseIterable {
    /// The requested item doesn't exist: a key, entity, server, or document.
    case noSuchItem
    /// The request is invalid.
    case invalidRequest
    /// The data is damaged or has an unexpected format.
    case badData
    /// The file or folder to read doesn't exist.
    case noSuchFile
    /// Something could not be created.
    case cannotCreate
    /// The operating system failed, or another process holds a lock on a file.
    case inputOutput
    /// The write is in the file, but the disk didn't confirm it.
    case unconfirmed
    /// The operating system or the store's format doesn't allow the operation.
    case noPermission
}

/// An error that describes how a program should report it.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// The general kind of failure.
    var category: ErrorCategory { get }
    /// The file or folder that the error is about, if any.
    var subject: String? { get }
    /// The reason, as a clause without a full stop and without the subject.
    var reason: String { get }
    /// A suggestion for fixing the problem, if any.
    var suggestion: Suggestion? { get }
}

/// An explained error whose reason is its message.
public protocol MessageError: ExplainedError {
    /// The failure and its cause, as a clause without a full stop.
    var message: String { get }
}

extension MessageError {
    public var reason: String { message }
}

extension ExplainedError {
    /// The default, `nil`: the error isn't about a file, or its reason names the file.
    public var subject: String? { nil }
    /// The default, `nil`: there is no suggestion.
    public var suggestion: Suggestion? { nil }
    /// The default: the subject, if any, and the reason.
    public var description: String { (subject.map { "\($0): " } ?? "") + reason }
}

extension String {
    /// Returns the reason of an error; for an unexplained error, its description.
    package static func reason(of error: any Error) -> String {
        (error as? any ExplainedError)?.reason ?? "\(error)"
    }
}
