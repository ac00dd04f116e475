import Replication

extension TreeValue {
    var role: TextRole {
        switch treeContent {
        case .string: .string
        case .integer, .unsigned, .double: .number
        case .boolean: .boolean
        case .date, .instant: .date
        case .data: .data
        case .array, .dictionary: .collection
        case .ownKind: .link
        case .null: .dim
        }
    }
}

extension Detail {
    /// Creates the inspector's content for an earlier version.
    ///
    /// - Parameters:
    ///   - written: The lines about the write.
    ///   - differences: The differences of the value from the current value.
    init(versionOf title: String, written: [Line], value: [Line], differences: [Line]) {
        let same = Line("", "no: the value is the same", .dim)
        self.init(
            title: title,
            sections: [
                Section("Earlier version", written),
                Section("Earlier value", value.map(\.readOnly)),
                Section("Differs from now", differences.isEmpty ? [same] : differences),
            ])
    }
}

extension Detail.Line {
    /// The maximum number of lines of a comparison.
    private static let shownDifferences = 500

    /// The line as part of something that can't be edited.
    fileprivate var readOnly: Self {
        var line = self
        (line.field, line.addition) = (nil, nil)
        return line
    }

    /// Returns the parts in which two values differ, each with its value then and now.
    static func differences<Value: StructuredValue>(
        from then: Value?, to now: Value?
    ) -> [Self] {
        var lines: [Self] = []
        append([], then, now, to: &lines)
        if lines.count >= shownDifferences { lines.append(Self("", "… more", .dim)) }
        return lines
    }

    private static func append<Value: StructuredValue>(
        _ path: [String], _ then: Value?, _ now: Value?, to lines: inout [Self]
    ) {
        guard then != now, lines.count < shownDifferences else { return }
        if let old = then?.members, let new = now?.members {
            for name in Set(old.keys).union(new.keys).sorted() {
                append(path + [name.text], old[name], new[name], to: &lines)
            }
            return
        }
        if let old = then?.items, let new = now?.items, old.count == new.count {
            for (index, pair) in zip(old, new).enumerated() {
                append(path + [String(index)], pair.0, pair.1, to: &lines)
            }
            return
        }
        if !path.isEmpty { lines.append(Self("", path.joined(separator: " › "), .key)) }
        let depth = path.isEmpty ? 0 : 1
        guard let old = then?.compared, let new = now?.compared else {
            lines.append(Self("then", then?.line ?? "not set", .removed, depth: depth))
            lines.append(Self("now", now?.line ?? "not set", .added, depth: depth))
            return
        }
        let marked = MarkedLines.between(old, new)
        lines += marked.from.lines(labeled: "then", .removed, depth)
        lines += marked.to.lines(labeled: "now", .added, depth)
    }
}

extension StructuredValue {
    /// The text to compare word by word; `nil` if the value is compared as a whole.
    fileprivate var compared: String? {
        asText ?? items.map { $0.map(\.line).joined(separator: "\n") }
    }
}

extension [MarkedLine] {
    fileprivate func lines(
        labeled label: String, _ role: TextRole, _ depth: Int
    ) -> [Detail.Line] {
        // If parts were only removed or only added, the other side has no lines.
        if isEmpty { return [Detail.Line(label, "without these words", .dim, depth: depth)] }
        return Detail.Line.linesOfText(
            map { line in
                Detail.Line(
                    label,
                    parts: line.parts.map { Detail.Part($0.text, isMarked: $0.isMarked) }, role,
                    depth: depth)
            })
    }
}
