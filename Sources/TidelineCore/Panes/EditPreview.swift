public import Replication

/// What an edit would write, in words and by file, for a person to confirm.
public struct EditPreview: Hashable, Sendable {
    /// A value as a preview shows it.
    public struct Value: Hashable, Sendable {
        /// The value in one line, as lists show it.
        public var line: String
        /// All of it, as a person would type it; `nil`: the line is all there is.
        public var whole: TypedText?
        /// Whether the line leaves out a part of it.
        public var isCut: Bool

        /// A value with its line.
        public init(_ line: String, whole: TypedText? = nil, isCut: Bool = false) {
            self.line = line
            self.whole = whole
            self.isCut = isCut
        }
    }

    /// One thing that the edit changes.
    public struct Change: Hashable, Sendable, Codable {
        /// What changes: a key, a property, a path in a document.
        public var subject: String
        /// What is there now; `nil`: nothing.
        public var old: Value?
        /// What is there afterwards; `nil`: nothing.
        public var new: Value?

        /// A change from one value to another.
        public init(subject: String, old: Value?, new: Value?) {
            self.subject = subject
            self.old = old
            self.new = new
        }
    }

    /// What was asked for.
    public var edit: Edit
    /// The edit in one line.
    public var summary: String
    /// What would change, one by one.
    public var changes: [Change]
    /// The device that the rows will be written as; `nil` where there are no devices.
    public var device: DeviceID?
    /// The file that they go to; `nil`: none, as the session alone keeps what is changed.
    public var file: String?
    /// Whether this write makes the device's folder, and so must be asked for.
    public var createsDevice: Bool
    /// What a person should know before confirming.
    public var warnings: [String]
    /// What the rows looked like when the preview was made; compared before writing.
    public var expectation: [Name: String]
    /// The value that the edit was typed over, where another has been written since; see
    /// ``RowSource/preview(_:typedOver:)``.
    public var overtaken: TypedText?

    /// A preview as a source makes it.
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

extension EditPreview.Value: ExpressibleByStringLiteral {
    /// A value that its line tells all of.
    public init(stringLiteral value: String) { self.init(value) }
}

/// As a text: the journal keeps the line, as what takes an edit back has the value.
extension EditPreview.Value: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(line)
    }
}
