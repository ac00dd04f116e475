import TidelineCore

extension ConflictWriter {
    /// The parts in which the sides differ, each with what was chosen for it.
    func fields(columns: Int) -> [TextLine] {
        guard !view.fields.isEmpty else { return [] }
        let names = view.fields.map { name(of: $0.path) }
        let widest = names.reduce(8) { max($0, CharacterWidth.width(of: $1)) }
        let nameWidth = min(widest, max(8, columns / 4))
        let space = (columns - nameWidth - 6) / (conflict.sides.count + 1)
        var lines = [
            TextLine(""),
            TextLine([
                ("differ in", .label),
                (screen.theme.text("  \(pickKeys) picks whose part is taken"), .dim),
            ]),
        ]
        for (index, field) in view.fields.enumerated() {
            var parts: [(String, Role)] = [("  ", .plain)]
            parts += screen.fitted([(names[index], .key)], nameWidth)
            parts += space < 12 ? [choice(of: field)] : choices(of: field, columns: space)
            lines.append(
                TextLine(
                    screen.fitted(parts, columns),
                    isSelected: conflict.sides.count + index == view.cursor))
        }
        if view.otherFields > 0 {
            lines.append(
                TextLine("  and in \(view.otherFields) more, which are merged by hand", .warning))
        }
        return lines
    }

    /// What every side has in a part, that which is taken with a sign.
    private func choices(
        of field: ConflictDetail.Field, columns: Int
    ) -> [(String, Role)] {
        let pick = view.picks[field.path] ?? field.proposed
        var parts: [(String, Role)] = []
        for (number, value) in field.values.enumerated() {
            let isTaken = pick == number
            let text = "\(sign(isTaken)) \(number + 1) \(value?.line ?? "(none)")"
            let role: Role =
                isTaken ? takenRole(of: field) : value.map { Role($0.role) } ?? .dim
            parts.append(("  ", .plain))
            parts += screen.fitted([(text, role)], columns - 2)
        }
        // What no side has is a choice of its own.
        guard field.proposed == nil else { return parts }
        let text = "\(sign(pick == nil)) merged: \(field.merged?.line ?? "(none)")"
        return parts + [
            ("  " + text, pick == nil ? .added : field.merged.map { Role($0.role) } ?? .dim)
        ]
    }

    /// The sign of what is taken, or not.
    private func sign(_ isTaken: Bool) -> String {
        isTaken ? (isASCII ? "[x]" : "▸") : (isASCII ? "[ ]" : " ")
    }

    /// What a part is to be, where there is no space for what every side has.
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

    /// A place inside a value, as far as a line has space for it.
    func name(of path: FieldPath) -> String {
        screen.theme.text(String(path.description.prefix(200)))
    }

    var pickKeys: String {
        ["conflict-pick-previous", "conflict-pick-next"].map { model.keymap.hint(for: $0) }
            .filter { !$0.isEmpty }.joined(separator: " ")
    }
}
