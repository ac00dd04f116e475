/// The identifier of a pane: the name of its part and its own name.
///
/// Panes of different parts can have the same name. Their identifiers still differ.
public struct PaneID: Hashable, Sendable {
    /// The name of the pane's data model, in lower case.
    public let part: String
    /// The pane's name within its part, in lower case, as in `--pane`.
    public let name: String

    /// Creates the identifier of a pane, whether or not a store has it.
    public init(_ name: String, of part: String) {
        self.part = part
        self.name = name
    }

    /// Creates the identifier of the pane with the same name as its part.
    public init(_ name: String) { self.init(name, of: name) }

    /// The identifier as text: `keys`, `documents/history`.
    public var text: String { part == name ? name : "\(part)/\(name)" }
}

/// A group of related panes. The panes of a store are in the order of their groups, and the screen
/// separates the groups.
public enum PaneGroup: CaseIterable, Hashable, Sendable {
    /// The data that is neither documents nor a server catalog.
    case data
    /// Documents.
    case documents
    /// A server catalog.
    case catalog
    /// The package as a whole: its devices and files.
    case package
}

/// A list of an open store that the user can choose.
public struct Pane: Sendable {
    /// The identifier of the pane.
    public let id: PaneID
    /// The source of the pane's rows.
    public let source: any RowSource
    /// The group of the pane.
    public let group: PaneGroup
    /// Whether the pane lists only conflicts. The action for the next conflict searches this pane.
    public let listsConflicts: Bool
    /// The number key of the pane, 1 to 9; `nil` if it has none. The session assigns the number,
    /// which depends on all possible panes.
    public var number: Int?

    /// Creates a pane.
    public init(
        _ id: PaneID, _ source: any RowSource, in group: PaneGroup = .data,
        listsConflicts: Bool = false
    ) {
        self.id = id
        self.source = source
        self.group = group
        self.listsConflicts = listsConflicts
    }
}

extension Sequence<Pane> {
    /// Returns the panes in the order of their groups. The panes of a group keep their order.
    func grouped() -> [Pane] {
        let panes = Array(self)
        return PaneGroup.allCases.flatMap { group in panes.filter { $0.group == group } }
    }

    /// Returns the panes with their numbers: their positions among all possible panes of the store.
    /// The numbers therefore don't depend on which panes exist.
    ///
    /// Only nine panes can have a number. The panes of the group ``PaneGroup/package`` are last,
    /// and always have a number. If there are too many panes, the last panes of the other groups
    /// have no number.
    ///
    /// - Parameter possible: All possible panes, in order.
    public func numbered(among possible: some Sequence<Pane>) -> [Pane] {
        var possible = Array(possible)
        while possible.count > 9, let last = possible.lastIndex(where: { $0.group != .package }) {
            possible.remove(at: last)
        }
        let numbers = Dictionary(zip(possible.map(\.id), 1...9)) { first, _ in first }
        return map { pane in
            var pane = pane
            pane.number = numbers[pane.id]
            return pane
        }
    }
}

extension Collection where Element == PaneID {
    /// Returns the pane that a user or an older journal names: by its complete identifier,
    /// otherwise the first pane with this name.
    public func index(ofPaneNamed text: String) -> Index? {
        firstIndex { $0.text == text } ?? firstIndex { $0.name == text }
    }

    /// Returns the pane that undoes a journal entry.
    ///
    /// This is the pane of the edit if it belongs to the edited data model or lists all conflicts.
    /// Otherwise, for example after an edit in a list of differences, it is the first pane of the
    /// data model.
    public func index(undoing entry: UndoHistory.Entry) -> Index? {
        let named = index(ofPaneNamed: entry.pane)
        guard let model = entry.applied.undo.lazy.compactMap(\.undoneModel).first else {
            return named
        }
        if let named, self[named].part == model || self[named] == .conflicts { return named }
        return firstIndex { $0.part == model } ?? named
    }
}
