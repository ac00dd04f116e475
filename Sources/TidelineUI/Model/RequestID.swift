import Glibc
public import TidelineCore

/// Identifies a request. An answer with a different identifier than the awaited answer is out of
/// date, and is dropped.
public struct RequestID: Hashable, Sendable {
    /// The number of the request.
    public let number: Int
    /// Creates the identifier with a number.
    public init(_ number: Int) { self.number = number }
}

/// The reason why a request failed.
public struct RequestFailure: Error, Hashable, Sendable {
    /// The kind of failure.
    public enum Kind: Hashable, Sendable {
        /// A filter is invalid. The range has the UTF-8 offsets of the invalid part.
        case filter(Range<Int>)
        case edit(EditError.Code)
        case other
    }

    /// The kind of failure.
    public var kind: Kind
    /// The reason, as a clause without a full stop.
    public var message: String
    /// The folder with a text that the user edited, if the text is kept there.
    var keptPath: String?

    /// Creates a failure.
    public init(_ kind: Kind = .other, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// Creates the failure of a system call with its `errno`.
    init(system number: Int32, _ what: String) {
        self.init(.other, "\(what): \(String(cString: strerror(number)))")
    }

    package init(_ error: any Error) {
        switch error {
        case let error as FilterError: self.init(.filter(error.range), error.message)
        case let error as EditError: self.init(.edit(error.code), error.message)
        case let error as RequestFailure: self = error
        case let error as SessionFailure: self.init(.other, error.reason)
        default: self.init(.other, String(describing: error))
        }
    }

    var filterRange: Range<Int>? {
        if case .filter(let range) = kind { range } else { nil }
    }

    var editCode: EditError.Code? {
        if case .edit(let code) = kind { code } else { nil }
    }
}
