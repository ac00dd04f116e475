public import Foundation

/// Why a text or counter could not be bound to a place in a document.
public enum BindingError: LocalizedError, Equatable {
    /// A path that names no place for it.
    case InvalidPath(String)
    /// What is there is no text.
    case NotText
    /// What is there is no counter.
    case NotCounter
    /// It is bound to no document.
    case Unbound

    public var errorDescription: String? {
        switch self {
        case .InvalidPath(let path): "There is no place at '\(path)' to bind to"
        case .NotText: "There is no text at the place to bind to"
        case .NotCounter: "There is no counter at the place to bind to"
        case .Unbound: "It is bound to no document"
        }
    }
}
