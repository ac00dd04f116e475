public import Foundation

/// An error that prevents binding a text or counter to a place in a document.
public enum BindingError: LocalizedError, Equatable {
    /// The path doesn't lead to a place that can hold a text or counter.
    case InvalidPath(String)
    /// The value at the place is not a text.
    case NotText
    /// The value at the place is not a counter.
    case NotCounter
    /// The text or counter isn't bound to a document.
    case Unbound

    public var errorDescription: String? {
        switch self {
        case .InvalidPath(let path): "the path '\(path)' can't be bound"
        case .NotText: "the value to bind to is not a text"
        case .NotCounter: "the value to bind to is not a counter"
        case .Unbound: "the text or counter isn't bound to a document"
        }
    }
}
