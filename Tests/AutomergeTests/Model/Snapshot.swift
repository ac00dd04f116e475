@testable import Automerge

/// Everything that can be seen of a document: values, conflicts, order, texts and marks.
///
/// The model makes one, and so does the engine; they must be equal.
struct Snapshot: Equatable {
    /// A value, by the identity of the operation where it is an object.
    enum SeenValue: Hashable {
        case scalar(ScalarValue)
        case object(ModelID, ObjType)
    }

    /// What a key or index holds: the value that wins, and all of them.
    struct Place: Equatable {
        let winner: SeenValue
        let all: Set<SeenValue>
    }

    enum Content: Equatable {
        /// Keys in order.
        case map([ExactText], [ExactText: Place])
        case list([Place])
        /// The characters, and the marks over each unit of the text encoding.
        case text(ExactText, marks: [[String: ScalarValue]])
    }

    /// By the operation that made the object; `nil` is the root. Objects that can be reached, through
    /// values that lost too.
    var contents: [ModelID?: Content] = [:]

    /// Where the two differ first, for the message of a failed test.
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
    /// How many units a piece of text takes.
    func width(_ text: String) -> Int {
        switch self {
        case .utf8: text.utf8.count
        case .utf16: text.utf16.count
        case .unicodeScalar: text.unicodeScalars.count
        case .graphemeCluster: text.count
        }
    }
}
