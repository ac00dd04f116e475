/// The verbs at the start of edit summaries.
enum EditVerb: String, CaseIterable {
    case add, create, delete, empty, `import`, insert
    case refresh, relate, rename, resolve, restore, save, set, show, subtract

    /// The past tense, for summaries of finished edits.
    var past: String {
        switch self {
        case .add, .import, .insert, .refresh, .subtract: rawValue + "ed"
        case .empty: "emptied"
        case .show: "showing"
        case .create, .delete, .relate, .rename, .resolve, .restore, .save: rawValue + "d"
        case .set: "set"
        }
    }
}

extension StructuredValue {
    /// Returns the summary of an edit that adds an item to a list or a member to a map.
    ///
    /// - Parameters:
    ///   - name: The member's name or the item's index; empty to append to a list.
    ///   - steps: The path of the list or map.
    func summary(ofAdding name: String, at steps: [String], to place: String) -> String {
        let isItem = part(at: steps)?.items != nil
        let what = name.isEmpty ? "an item" : isItem ? "item \(name)" : name
        return "\(EditVerb.add) \(what) to \(place)"
    }
}

extension AppliedEdit {
    /// Returns the summary of a finished edit: `resolved note/1/due`.
    package static func done(_ summary: String) -> String {
        let verb = summary.prefix { $0 != " " }
        guard let known = EditVerb(rawValue: String(verb)) else { return summary }
        return known.past + summary.dropFirst(verb.count)
    }
}
