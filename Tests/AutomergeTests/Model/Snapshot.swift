@testable import Automerge

/// All visible content of a document: values, conflicts, order, texts and marks.
///
/// The model and the engine each create a snapshot, and the two must be equal.
struct Snapshot: Equatable {
    /// A value; objects are identified by the operation that created them.
    enum SeenValue: Hashable {
        case scalar(ScalarValue)
        case object(ModelID, ObjType)
    }

    /// The content of a key or index: the winner and all values.
    struct Place: Equatable {
        let winner: SeenValue
        let all: Set<SeenValue>
    }

    enum Content: Equatable {
        /// The keys in order, and their values.
        case map([ExactText], [ExactText: Place])
        case list([Place])
        /// The characters, and the marks of each unit of the text encoding.
        case text(ExactText, marks: [[String: ScalarValue]])
    }

    /// The objects by the operation that created them; `nil` is the root. Contains all objects that
    /// are reachable, including through losing values.
    var contents: [ModelID?: Content] = [:]

    /// A description of the first difference, for the message of a failed test.
    func difference(from other: Snapshot) -> String? {
        if self == other { return nil }
        let ids = Set(contents.keys).union(other.contents.keys)
        for id in ids.sorted(by: { ($0?.counter ?? 0) < ($1?.counter ?? 0) })
        where contents[id] != other.contents[id] {
            return """
                object \(id.map(String.init(describing:)) ?? "root")
                  \(contents[id].map(String.init(describing:)) ?? "missing")
                  \(other.contents[id].map(String.init(describing:)) ?? "missing")
                """
        }
        return "no object differs"
    }
}

extension TextEncoding {
    /// The number of units of a string.
    func width(_ text: String) -> Int {
        switch self {
        case .utf8: text.utf8.count
        case .utf16: text.utf16.count
        case .unicodeScalar: text.unicodeScalars.count
        case .graphemeCluster: text.count
        }
    }
}
