public import Foundation
public import Replication

/// The content of the inspector for one row.
public struct Detail: Hashable, Sendable {
    /// The name of the row.
    public var title: String
    /// The sections, most important first.
    public var sections: [Section]

    /// Creates a detail from its sections.
    public init(title: String, sections: [Section]) {
        self.title = title
        self.sections = sections
    }

    /// A group of lines under a heading: "Value", "Devices", "History".
    public struct Section: Hashable, Sendable {
        /// The heading.
        public var title: String
        /// The lines under the heading.
        public var lines: [Line]

        /// Creates a section.
        public init(_ title: String, _ lines: [Line]) {
            self.title = title
            self.lines = lines
        }
    }

    /// A line: a label, a text with a role, and optionally a link.
    public struct Line: Hashable, Sendable {
        /// The label before the text, such as a device name. May be empty.
        public var label: String
        /// The text, unescaped. The screen makes control characters visible.
        public var text: String
        /// The role of the text, for the theme.
        public var role: TextRole
        /// The depth in a tree. Each level is indented further.
        public var depth: Int
        /// The row that the line leads to.
        public var link: Link?
        /// The part of the row that the line shows, if it can be edited on its own.
        public var field: FieldPath?
        /// The addition that is possible at this line.
        public var addition: Addition?
        /// The time of the write that the line describes. If the line has no ``version``, choosing
        /// it shows the store as of that time.
        public var instant: Timestamp?
        /// The device that wrote at that instant.
        public var writer: DeviceID?
        /// The version of the row that the line describes. Choosing the line shows the version.
        public var version: Version?
        /// The parts of the text, in order, if they have different looks; otherwise empty.
        public var parts: [Part] = []
        /// The bytes that the text shows as digits, to be wrapped again on narrow screens.
        public var bytes: Data?
        /// Whether the nested lines below are folded at first.
        public var startsFolded = false
        /// Whether the text continues the text of the line above. The line has no label.
        public var isContinuation = false
        /// Whether the line stands for the rest of a value that is too long to show.
        public var isOmission = false

        /// Creates a line.
        public init(
            _ label: String = "", _ text: String, _ role: TextRole = .plain, depth: Int = 0,
            link: Link? = nil, field: FieldPath? = nil, addition: Addition? = nil,
            instant: Timestamp? = nil, writer: DeviceID? = nil
        ) {
            self.label = label
            self.text = text
            self.role = role
            self.depth = depth
            self.link = link
            self.field = field
            self.addition = addition
            self.instant = instant
            self.writer = writer
        }

        /// Creates a line that describes a version of its row.
        public init(
            _ label: String, _ text: String, _ role: TextRole = .plain, depth: Int = 0,
            version: Version
        ) {
            self.init(
                label, text, role, depth: depth, instant: version.instant, writer: version.writer)
            self.version = version
        }

        /// Returns the lines of one text. Only the first line keeps its label.
        package static func linesOfText(_ lines: [Self]) -> [Self] {
            lines.enumerated().map { index, line in
                guard index > 0, !line.label.isEmpty else { return line }
                var line = line
                (line.label, line.isContinuation) = ("", true)
                return line
            }
        }

        /// Creates a line whose parts have different looks.
        public init(
            _ label: String = "", parts: [Part], _ role: TextRole = .plain, depth: Int = 0
        ) {
            self.init(label, parts.map(\.text).joined(), role, depth: depth)
            self.parts = parts
        }
    }

    /// A part of the text of a line.
    public struct Part: Hashable, Sendable {
        /// The text of the part.
        public var text: String
        /// Whether the part is highlighted as a difference.
        public var isMarked: Bool
        /// The writer of the part, if the text shows its writers.
        public var author: Author?

        /// Creates a part.
        public init(_ text: String, isMarked: Bool = false, author: Author? = nil) {
            self.text = text
            self.isMarked = isMarked
            self.author = author
        }
    }

    /// An earlier state of a row or of one of its properties, named by the write that led to it.
    public struct Version: Hashable, Sendable {
        /// The time of the write.
        public var instant: Timestamp
        /// The device that wrote.
        public var writer: DeviceID
        /// The property that was written; `nil` for the row as a whole.
        public var property: FieldPath?

        /// Creates the name of a version.
        public init(at instant: Timestamp, by writer: DeviceID, property: FieldPath? = nil) {
            self.instant = instant
            self.writer = writer
            self.property = property
        }
    }

    /// The form in which the inspector shows a row.
    public enum Form: Hashable, Sendable {
        /// The row itself.
        case row
        /// An earlier version, and how the current row differs from it.
        case version(Version)
        /// The texts of the row, with the writer of each part.
        case authors
    }

    /// An addition that is possible at a line.
    public enum Addition: Hashable, Sendable {
        /// A property of the row.
        case property
        /// A member of a dictionary.
        case member(of: FieldPath)
        /// A numbered item of a list.
        case item(of: FieldPath, number: Int)
    }

    /// A link from a line to a row of any pane.
    public struct Link: Hashable, Sendable {
        /// The pane of the row.
        public var pane: PaneID
        /// The row.
        public var row: RowID
        /// The rows to open, outermost first, to reach the list that contains the row.
        public var inside: [RowID]

        /// Creates a link.
        public init(pane: PaneID, row: RowID, inside: [RowID] = []) {
            self.pane = pane
            self.row = row
            self.inside = inside
        }
    }
}

extension Detail.Line {
    /// Returns a line with the number of items that aren't listed; no line if the number is 0.
    static func rest(_ count: Int, _ word: String = "more") -> [Self] {
        count > 0 ? [Self("", "… \(Counted.grouped(count)) \(word)", .dim)] : []
    }

    /// Returns a line for the rest of a value that is too long to show: `… more` or `… 3 kB more`.
    static func omission(_ amount: String = "", depth: Int = 0) -> Self {
        var line = Self("", amount.isEmpty ? "… more" : "… \(amount) more", .dim, depth: depth)
        line.isOmission = true
        return line
    }
}

/// A form in which a row can be copied: `value`, `key`, `JSON`.
public struct CopyForm: Hashable, Sendable {
    /// The name of the form.
    public var name: String
    /// The text to copy.
    public var text: String

    /// Creates a form with its text.
    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
