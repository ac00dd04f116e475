/// Which pane of a store: the part that it belongs to, and its name there.
///
/// Two parts may have panes of one name; as their parts have different names, their panes have
/// different identifiers.
public struct PaneID: Hashable, Sendable {
    /// The name of the data model that the pane is of, in lower case.
    public let part: String
    /// What the pane is called in its part, in lower case, as `--pane` takes it.
    public let name: String

    /// The pane `name` of `part`, whether a store has it or not.
    public init(_ name: String, of part: String) {
        self.part = part
        self.name = name
    }

    /// The pane that a part is named for.
    public init(_ name: String) { self.init(name, of: name) }

    /// The identifier as text: `keys`, `documents/log`.
    public var text: String { part == name ? name : "\(part)/\(name)" }
}

/// One list of an open store that a person can choose.
public struct Pane: Sendable {
    /// Which pane it is.
    public let id: PaneID
    /// Where its rows come from.
    public let source: any RowSource
    /// Whether it lists what devices disagree about, and nothing else: where the next conflict is
    /// looked for.
    public let listsConflicts: Bool
    /// The number, 1 to 9, by which a person asks for it; `nil` where it has none. The session
    /// gives it, as it depends on the panes that there can be.
    public var number: Int?

    /// A list under an identifier.
    public init(_ id: PaneID, _ source: any RowSource, listsConflicts: Bool = false) {
        self.id = id
        self.source = source
        self.listsConflicts = listsConflicts
    }
}

extension Sequence<Pane> {
    /// The panes with the number of each: its place among all that there can be in the store, so
    /// that it has the same whichever of them are there. Those beyond the ninth have none.
    public func numbered(among possible: some Sequence<PaneID>) -> [Pane] {
        let numbers = Dictionary(uniqueKeysWithValues: zip(possible, 1...9))
        return map { pane in
            var pane = pane
            pane.number = numbers[pane.id]
            return pane
        }
    }
}

extension Collection where Element == PaneID {
    /// The pane that a person, or an older journal, calls so: by its whole identifier, else by its
    /// name alone, which is that of the first part that has such a pane.
    public func index(ofPaneNamed text: String) -> Index? {
        firstIndex { $0.text == text } ?? firstIndex { $0.name == text }
    }
}
