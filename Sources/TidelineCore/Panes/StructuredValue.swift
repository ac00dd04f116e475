import Replication

/// A value that may contain other values, by name or by index. Changing a part doesn't change other
/// parts, regardless of their types. The inspector can compare versions of such values.
protocol StructuredValue: TreeValue, CellContent {
    /// The value in one line.
    var line: String { get }

    init(members: [Name: Self])
    init(items: [Self])
}

extension StructuredValue {
    /// The members of a map; `nil` for anything else.
    var members: [Name: Self]? { if case .dictionary(let all) = treeContent { all } else { nil } }
    /// The items of a list; `nil` for anything else.
    var items: [Self]? { if case .array(let all) = treeContent { all } else { nil } }

    /// Returns the part at a path, if it exists.
    func part(at steps: some Sequence<String>) -> Self? {
        var value = self
        for step in steps {
            guard let next = value.inside(step) else { return nil }
            value = next
        }
        return value
    }

    private func inside(_ step: String) -> Self? {
        if let members { return members[step] }
        guard let items, let index = Int(step), items.indices.contains(index) else { return nil }
        return items[index]
    }

    /// Returns the value with another part at `steps`.
    ///
    /// - Throws: ``EditError`` with code `.notFound` if the path doesn't exist. The same applies to
    ///   all methods below.
    func setting(_ steps: [String], to part: Self) throws(EditError) -> Self {
        try changing(steps[...]) { (_: Self) throws(EditError) in part }
    }

    /// Returns the value without the part at `steps`. Later list items move up.
    func removing(_ steps: [String]) throws(EditError) -> Self {
        try changing(steps.dropLast()) { (container: Self) throws(EditError) in
            let last = steps.last ?? ""
            guard container.inside(last) != nil else { throw Self.missing(last) }
            if var members = container.members {
                members[last] = nil
                return Self(members: members)
            }
            guard var items = container.items, let index = Int(last) else {
                throw Self.missing(last)
            }
            items.remove(at: index)
            return Self(items: items)
        }
    }

    /// Returns the value with the part at `steps` set, whether or not it existed; `nil` deletes it.
    func putting(_ part: Self?, at steps: [String]) throws(EditError) -> Self {
        guard let last = steps.last else { return part ?? self }
        let exists = self.part(at: steps) != nil
        guard let part else { return exists ? try removing(steps) : self }
        return exists
            ? try setting(steps, to: part) : try adding(last, part, at: steps.dropLast())
    }

    func renaming(_ steps: [String], to name: String) throws(EditError) -> Self {
        try changing(steps.dropLast()) { (container: Self) throws(EditError) in
            let last = steps.last ?? ""
            guard var members = container.members else {
                throw EditError(.unsupported, "list items have numbers, not names")
            }
            guard let part = members[last] else { throw Self.missing(last) }
            try Self.requireFree(name, in: members)
            members[last] = nil
            members[name] = part
            return Self(members: members)
        }
    }

    /// Returns the value with a part added to the map or list at `steps`.
    ///
    /// - Parameter name: The member's name, or the index of the new item; empty to append an item.
    func adding(_ name: String, _ part: Self, at steps: [String]) throws(EditError) -> Self {
        try changing(steps[...]) { (container: Self) throws(EditError) in
            if var members = container.members {
                try Self.requireFree(name, in: members)
                members[name] = part
                return Self(members: members)
            }
            guard var items = container.items else {
                throw EditError(
                    .unsupported,
                    "can't add: the value is neither a map nor a list")
            }
            guard let index = name.isEmpty ? items.count : Int(name), index >= 0,
                index <= items.count
            else {
                throw EditError(
                    .invalid,
                    "\(name.quoted) is not a valid position: choose 0–\(items.count)")
            }
            items.insert(part, at: index)
            return Self(items: items)
        }
    }

    private func changing(
        _ steps: ArraySlice<String>, _ change: (Self) throws(EditError) -> Self
    ) throws(EditError) -> Self {
        guard let step = steps.first else { return try change(self) }
        guard let old = inside(step) else { throw Self.missing(step) }
        let new = try old.changing(steps.dropFirst(), change)
        if var members {
            members[step] = new
            return Self(members: members)
        }
        guard var items, let index = Int(step) else { throw Self.missing(step) }
        items[index] = new
        return Self(items: items)
    }

    private static func requireFree(
        _ name: String, in members: [Name: Self]
    ) throws(EditError) {
        guard members[name] == nil else {
            throw EditError(.invalid, "the member \(name.quoted) already exists")
        }
    }

    private static func missing(_ step: String) -> EditError {
        EditError(.notFound, "the value has no \(step.quoted)")
    }
}
