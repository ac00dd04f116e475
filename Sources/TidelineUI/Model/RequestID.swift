public import TidelineCore

/// The number of a request for something. An answer with another number than the one waited for
/// is stale and dropped.
public struct RequestID: Hashable, Sendable {
    public let number: Int
    public init(_ number: Int) { self.number = number }
}

/// Why a request was not answered.
public struct RequestFailure: Error, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The filter does not parse; UTF-8 offsets of the part at fault.
        case filter(Range<Int>)
        case edit(EditError.Code)
        case other
    }

    public var kind: Kind
    public var message: String

    public init(_ kind: Kind = .other, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let error as FilterError: self.init(.filter(error.range), error.message)
        case let error as EditError: self.init(.edit(error.code), error.message)
        case let error as RequestFailure: self = error
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
