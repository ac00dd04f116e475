public import Foundation
public import Replication

/// All about one row, as the inspector shows it.
public struct Detail: Hashable, Sendable {
    /// What the row is called.
    public var title: String
    /// What is known about it, the most important first.
    public var sections: [Section]

    /// A detail, ready to be shown.
    public init(title: String, sections: [Section]) {
        self.title = title
        self.sections = sections
    }

    /// Lines under a heading: "Value", "Devices", "History".
    public struct Section: Hashable, Sendable {
        /// The heading.
        public var title: String
        /// The lines under it.
        public var lines: [Line]

        /// Lines under a heading.
        public init(_ title: String, _ lines: [Line]) {
            self.title = title
            self.lines = lines
        }
    }

    /// A line: a label, a text with a meaning, perhaps a place to go to.
    public struct Line: Hashable, Sendable {
        /// What stands before the text, such as a device's name; may be empty.
        public var label: String
        /// The text, raw: the screen makes control characters visible.
        public var text: String
        /// What the text means, for the theme.
        public var role: TextRole
        /// How deep in a tree; each level is drawn further in.
        public var depth: Int
        /// Where the line leads when it is chosen.
        public var link: Link?
        /// The part of the row that the line shows, where it can be edited by itself.
        public var field: FieldPath?
        /// Where something is added when the line is selected.
        public var addition: Addition?
        /// When what the line tells was written: the past is shown as it was then when the line is
        /// chosen.
        public var instant: Timestamp?
        /// Which device wrote it at that instant.
        public var writer: DeviceID?
        /// The bytes that the text gives as digits, to be set in fewer columns where there is less
        /// space.
        public var bytes: Data?
        /// Whether the deeper lines that follow are shown only once somebody asks for them.
        public var startsFolded = false

        /// A line with as much as is known about it.
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
    }

    /// What can be added beside or inside a line.
    public enum Addition: Hashable, Sendable {
        /// A property of the row.
        case property
        /// A member of a dictionary.
        case member(of: FieldPath)
        /// An item of a list, which gets a number.
        case item(of: FieldPath, number: Int)
    }

    /// A row of some pane that a line leads to.
    public struct Link: Hashable, Sendable {
        /// The list that the row is in.
        public var pane: PaneID
        /// The row there.
        public var row: RowID
        /// The rows that are opened, one inside of the other, to come to the list that it is in.
        public var inside: [RowID]

        /// A place to go to.
        public init(pane: PaneID, row: RowID, inside: [RowID] = []) {
            self.pane = pane
            self.row = row
            self.inside = inside
        }
    }
}

/// A form in which a row can be copied: `value`, `key`, `JSON`.
public struct CopyForm: Hashable, Sendable {
    /// What the form is called.
    public var name: String
    /// What is copied.
    public var text: String

    /// A form with its text.
    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
