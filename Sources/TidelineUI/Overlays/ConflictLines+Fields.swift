import TidelineCore

extension ConflictLines {
    /// Returns the parts in which the sides differ, with the choice for each.
    func fields(columns: Int) -> [TextLine] {
        guard !view.fields.isEmpty else { return [] }
        let names = view.fields.map { name(of: $0.path) }
        let widest = names.reduce(8) { max($0, CharacterWidth.width(of: $1)) }
        let nameWidth = min(widest, max(8, columns / 4))
        // If no side has the merged value, it gets a separate column.
        let hasMerged = view.fields.contains { $0.proposed == nil }
        let space = (columns - nameWidth - 6) / (conflict.sides.count + (hasMerged ? 1 : 0))
        var lines = [
            TextLine(""),
            TextLine([
                ("differences", .label),
                (canvas.theme.text("  (\(pickKeys): choose side)"), .dim),
            ]),
        ]
        for (index, field) in view.fields.enumerated() {
            var parts: [(String, Role)] = [("  ", .plain)]
            parts += canvas.fitted([(names[index], .key)], nameWidth)
            parts += space < 12 ? [choice(of: field)] : choices(of: field, columns: space)
            lines.append(
                TextLine(
                    canvas.fitted(parts, columns),
                    isSelected: conflict.sides.count + index == view.cursor))
        }
        if view.otherFields > 0 {
            lines.append(
                TextLine("  and \(view.otherFields) more, to be merged in $EDITOR", .warning))
        }
        return lines
    }

    /// Returns the values of all sides, with the chosen one marked.
    private func choices(
        of field: ConflictDetail.Field, columns: Int
    ) -> [(String, Role)] {
        let pick = view.picks[field.path] ?? field.proposed
        var parts: [(String, Role)] = []
        let lines = lines(of: field, columns: columns - 2 - Self.signColumns)
        for (number, value) in field.values.enumerated() {
            let isTaken = pick == number
            let text = "\(sign(isTaken)) \(number + 1) \(lines[number])"
            let role: Role =
                isTaken ? takenRole(of: field) : value.map { Role($0.role) } ?? .dim
            parts.append(("  ", .plain))
            parts += canvas.fitted([(text, role)], columns - 2)
        }
        // A merged value that no side has is a separate choice.
        guard field.proposed == nil else { return parts }
        let text = "\(sign(pick == nil)) merged: \(field.merged?.line ?? "(none)")"
        return parts + [
            ("  " + text, pick == nil ? .added : field.merged.map { Role($0.role) } ?? .dim)
        ]
    }

    /// Returns the values of the sides on one line each. If two values would look the same after
    /// cutting, their differing parts are shown.
    private func lines(of field: ConflictDetail.Field, columns: Int) -> [String] {
        let lines = field.values.map { $0?.line ?? "(none)" }
        guard lines.count == 2, columns > 0,
            lines.contains(where: { CharacterWidth.exceeds($0, columns: columns) })
        else { return lines }
        let shown = DifferingTexts(lines[0], lines[1], same: columns / 3)
        return [shown.first, shown.second]
    }

    /// The width of the sign and the number of a side.
    private static let signColumns = 4

    /// Returns the sign of a chosen or unchosen side.
    private func sign(_ isTaken: Bool) -> String {
        isTaken ? (isASCII ? "[x]" : "▸") : (isASCII ? "[ ]" : " ")
    }

    /// Returns the chosen value, which is shown if the values of all sides don't fit.
    private func choice(of field: ConflictDetail.Field) -> (String, Role) {
        guard let number = view.picks[field.path] ?? field.proposed,
            field.values.indices.contains(number)
        else { return ("  merged: " + (field.merged?.line ?? "(none)"), .added) }
        let line = field.values[number]?.line ?? "(none)"
        return ("  \(number + 1)/\(field.values.count) " + line, takenRole(of: field))
    }

    private func takenRole(of field: ConflictDetail.Field) -> Role {
        view.picks[field.path] == nil ? .added : .winner
    }

    /// Returns the text of a path, shortened to fit a line.
    func name(of path: FieldPath) -> String {
        canvas.theme.text(String(path.description.prefix(200)))
    }

    var pickKeys: String {
        context.keymap.firstKeys(of: ["conflict-pick-previous", "conflict-pick-next"])
    }
}
