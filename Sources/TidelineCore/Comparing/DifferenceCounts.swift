import Replication

/// The number of differences of each kind, and of each table.
package struct DifferenceCounts: Sendable {
    private struct Group: Hashable {
        let kind: StoreDifference.Kind
        /// The table's name; `nil` for other kinds of data.
        let table: Name?
    }

    private var counts: [Group: [StoreDifference.Change: Int]] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty }

    package mutating func add(_ difference: StoreDifference) {
        let subject = difference.subject
        let group = Group(kind: subject.kind, table: subject.table.map { Name($0) })
        counts[group, default: [:]][difference.change, default: 0] += 1
    }

    /// The counts of one kind of data, or of one table.
    package struct Line: Sendable {
        package let kind: StoreDifference.Kind
        package let table: String?
        fileprivate let counts: [StoreDifference.Change: Int]

        package subscript(change: StoreDifference.Change) -> Int { counts[change] ?? 0 }

        /// The counts as a JSON object.
        package var json: JSONValue {
            var members: [Name: JSONValue] = ["store": .string(kind.rawValue)]
            if let table { members["table"] = .string(table) }
            for change in StoreDifference.Change.allCases {
                members[Name(change.rawValue)] = .count(self[change])
            }
            return .object(members)
        }
    }

    /// The counts of each kind of data and each table with differences.
    package var lines: [Line] {
        StoreDifference.Kind.allCases.flatMap { kind in
            counts.filter { $0.key.kind == kind }
                .sorted { ($0.key.table ?? "") < ($1.key.table ?? "") }
                .map { Line(kind: kind, table: $0.key.table?.text, counts: $0.value) }
        }
    }
}
