public import Replication

/// The changes that an edit would make, and the file that it would write, for the user to confirm.
public struct EditPreview: Hashable, Sendable {
    /// A value in a preview.
    public struct Value: Hashable, Sendable {
        /// The value in one line, as in a list.
        public var line: String
        /// The complete value as the user would type it; `nil` if ``line`` is complete.
        public var whole: TypedText?
        /// Whether the line is truncated.
        public var isCut: Bool

        /// Creates a value from its line.
        public init(_ line: String, whole: TypedText? = nil, isCut: Bool = false) {
            self.line = line
            self.whole = whole
            self.isCut = isCut
        }
    }

    /// One change of an edit.
    public struct Change: Hashable, Sendable, Codable {
        /// The changed item: a key, a property, a path in a document.
        public var subject: String
        /// The current value, if any.
        public var old: Value?
        /// The new value, if any.
        public var new: Value?

        /// Creates a change.
        public init(subject: String, old: Value?, new: Value?) {
            self.subject = subject
            self.old = old
            self.new = new
        }
    }

    /// The requested edit.
    public var edit: Edit
    /// A one-line summary of the edit.
    public var summary: String
    /// The individual changes.
    public var changes: [Change]
    /// The number of rows that change, if ``changes`` doesn't list all of them.
    public var rowCount: Int?
    /// The device that writes the rows; `nil` if the store has no devices.
    public var device: DeviceID?
    /// The file to be written; `nil` if the change is kept only in the session.
    public var file: String?
    /// Whether the write creates the device's folder, which the user must confirm.
    public var createsDevice: Bool
    /// Warnings to show before the user confirms.
    public var warnings: [String]
    /// The state of the rows when the preview was made. It is compared with the current state
    /// before writing.
    public var expectation: [Name: String]
    /// The previews of the single rows, if they are written one after the other; otherwise empty.
    var parts: [EditPreview] = []
    /// Whether the edit resolves a conflict, even if it only writes the current value again.
    public var resolvesConflict = false
    /// The value on which the edit was based, if it has changed since then; see
    /// ``EditableRows/preview(_:typedOver:)``.
    public var baseline: TypedText?

    /// Creates a preview.
    public init(
        edit: Edit, summary: String, changes: [Change], device: DeviceID? = nil, file: String?,
        createsDevice: Bool = false, warnings: [String] = [], expectation: [Name: String] = [:]
    ) {
        self.edit = edit
        self.summary = summary
        self.changes = changes
        self.device = device
        self.file = file
        self.createsDevice = createsDevice
        self.warnings = warnings
        self.expectation = expectation
    }
}

extension [EditPreview.Change] {
    /// The old and the new value in short; `nil` if there isn't exactly one change.
    public var shortChange: String? {
        guard let change = first, count == 1 else { return nil }
        guard let old = change.old?.line, let new = change.new?.line else {
            return (change.old ?? change.new).map { Self.shortened($0.line, from: 0) }
        }
        // Long values may have the same start.
        let same = zip(old, new).prefix { $0 == $1 }.count
        let isLong = Swift.max(old.count, new.count) > Self.shortLength
        let start = isLong ? Swift.max(0, same - 8) : 0
        return "\(Self.shortened(old, from: start)) → \(Self.shortened(new, from: start))"
    }

    /// The length of a short value, in characters.
    private static var shortLength: Int { 24 }

    private static func shortened(_ text: String, from start: Int) -> String {
        let rest = text.dropFirst(start)
        let end = rest.count > shortLength ? "…" : ""
        return "\(start > 0 ? "…" : "")\(rest.prefix(shortLength - end.count))\(end)"
    }
}

extension EditPreview {
    /// Returns the warning that a write also resolves a conflict.
    static func warning(ofResolving name: String) -> String {
        "\(name) is in conflict; this write resolves it"
    }
}

extension EditPreview.Change {
    /// Returns the change with only the start of long values and of a long subject.
    ///
    /// - Parameter limit: The maximum number of Unicode scalars of each value and of the subject.
    func shortened(to limit: Int) -> Self {
        func start(_ value: EditPreview.Value?) -> EditPreview.Value? {
            guard let value, let line = value.line.shortened(to: limit) else { return value }
            return EditPreview.Value(line, isCut: true)
        }
        return Self(
            subject: subject.shortened(to: limit) ?? subject, old: start(old), new: start(new))
    }
}

extension EditPreview.Value: ExpressibleByStringLiteral {
    /// Creates a value whose line is complete.
    public init(stringLiteral value: String) { self.init(value) }
}

/// A value is encoded as a string. The journal keeps only its line, because the undo tokens contain
/// the values.
extension EditPreview.Value: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(line)
    }
}
