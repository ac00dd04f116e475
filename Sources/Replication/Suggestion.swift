/// Advice for solving a problem.
///
/// The text is complete on its own. A program that knows the ``action`` can add its own command or
/// option for it.
public struct Suggestion: Hashable, Sendable {
    /// A stable name for what to do. Each library declares its own.
    public struct Action: Hashable, Sendable {
        private let rawValue: String

        /// Creates an action. The name must be unique among all libraries.
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// The advice, as a clause without a full stop and without any program's commands and options.
    public let text: String
    /// The suggested action; `nil` if no program can perform it.
    public let action: Action?
    /// The files and folders that the action needs, in the order that its declaration states.
    public let paths: [String]

    /// Creates a suggestion.
    public init(_ text: String, _ action: Action? = nil, paths: [String] = []) {
        self.text = text
        self.action = action
        self.paths = paths
    }
}

extension Suggestion: ExpressibleByStringInterpolation {
    /// Creates a suggestion without an action.
    public init(stringLiteral text: String) { self.init(text) }
}

extension Suggestion.Action {
    /// Write as a device with another name.
    public static let writeAsAnotherDevice = Self("writeAsAnotherDevice")
    /// Delete the file at `paths[0]`.
    public static let deleteFile = Self("deleteFile")
    /// Merge the copy at `paths[1]`, of a log or a device's folder, into the package at `paths[0]`.
    /// Without paths, the advice is about a copy that the message names.
    public static let mergeCopy = Self("mergeCopy")
}

extension Suggestion {
    /// The suggestion if this device's own log can't be read, and therefore can't be written. The
    /// file may only lack read permission, and a copy may lack its newest rows.
    package static let replaceOwnLog = Suggestion(
        "make the file readable, replace it with a complete copy, or write as another device",
        .writeAsAnotherDevice)
}
