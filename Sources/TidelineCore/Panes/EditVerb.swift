/// The words that summaries of edits begin with: what is to be done, as a preview tells it.
enum EditVerb: String, CaseIterable {
    case add, delete, forget, insert, keep, make, point
    case relate, remove, rename, resolve, restore, set

    /// What was done.
    var past: String {
        switch self {
        case .add, .insert, .point: rawValue + "ed"
        case .delete, .relate, .remove, .rename, .resolve, .restore: rawValue + "d"
        case .forget: "forgot"
        case .keep: "kept"
        case .make: "made"
        case .set: "set"
        }
    }
}

extension StructuredValue {
    /// The summary of an edit that adds something to a list or a dictionary in the value.
    ///
    /// - Parameters:
    ///   - name: Its name, or its number in a list; empty for the end of one.
    ///   - steps: What leads to the list or the dictionary, which people call `place`.
    func summary(ofAdding name: String, at steps: [String], to place: String) -> String {
        let isItem = part(at: steps)?.items != nil
        let what = name.isEmpty ? "an item" : isItem ? "item \(name)" : name
        return "\(EditVerb.add) \(what) to \(place)"
    }
}

extension AppliedEdit {
    /// The summary of what was written, as of something that was done: `resolved note/1/due`.
    package static func done(_ summary: String) -> String {
        let verb = summary.prefix { $0 != " " }
        guard let known = EditVerb(rawValue: String(verb)) else { return summary }
        return known.past + summary.dropFirst(verb.count)
    }
}
