/// All about one row, as the inspector shows it.
public struct Detail: Hashable, Sendable {
    public var title: String
    public var sections: [Section]

    public init(title: String, sections: [Section]) {
        self.title = title
        self.sections = sections
    }

    /// Lines under a heading: "Value", "Devices", "History".
    public struct Section: Hashable, Sendable {
        public var title: String
        public var lines: [Line]

        public init(_ title: String, _ lines: [Line]) {
            self.title = title
            self.lines = lines
        }
    }

    /// A line: a label, a text with a meaning, perhaps a place to go to.
    public struct Line: Hashable, Sendable {
        public var label: String
        public var text: String
        public var role: TextRole
        /// How deep in a tree; each level is drawn further in.
        public var depth: Int
        public var link: Link?
        /// The part of the row that the line shows, where it can be edited by itself.
        public var field: FieldPath?
        /// Where something is added when the line is selected.
        public var addition: Addition?

        public init(
            _ label: String = "", _ text: String, _ role: TextRole = .plain, depth: Int = 0,
            link: Link? = nil, field: FieldPath? = nil, addition: Addition? = nil
        ) {
            self.label = label
            self.text = text
            self.role = role
            self.depth = depth
            self.link = link
            self.field = field
            self.addition = addition
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
        public var pane: PaneID
        public var row: RowID

        public init(pane: PaneID, row: RowID) {
            self.pane = pane
            self.row = row
        }
    }
}

/// A form in which a row can be copied: `value`, `key`, `JSON`.
public struct CopyForm: Hashable, Sendable {
    public var name: String
    public var text: String

    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }
}
