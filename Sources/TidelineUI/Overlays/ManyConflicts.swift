import Replication
import TidelineCore

/// Many rows in conflict, to end all of their conflicts in one way.
struct ManyConflicts: OverlayModule {
    /// A way to end conflicts.
    enum Way: Hashable, Sendable {
        /// By the side that was written last.
        case newest
        /// By what the sides come to together, where no two of them changed the same.
        case proposal
        /// By the side of one author.
        case side(Author)
    }

    /// A way, and what of the rows it ends.
    struct Choice: Hashable, Sendable {
        var way: Way
        var edits: [Edit]
    }

    var source: SourceID
    var rows: [ConflictedRow]
    /// Every way that ends at least one of the conflicts, and the proposals in any case.
    var choices: [Choice]
    var cursor = 0

    init(source: SourceID, rows: [ConflictedRow]) {
        self.source = source
        self.rows = rows
        var authors: [Author: Int] = [:]
        for row in rows {
            let sides = row.conflicts.flatMap(\.sides)
            for author in Set(sides.map(\.author)) { authors[author, default: 0] += 1 }
        }
        let sides = authors.sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
            .map { Way.side($0.key) }
        choices = ([.newest, .proposal] + sides).map { way in
            Choice(way: way, edits: rows.compactMap { $0.edit(by: way) })
        }
    }

    static let kind = Overlay.Kind.many
    static let group = Action.Group.many
    var overlay: Overlay { .many(self) }
    /// What stands in the way of writing can be ended here.
    static let passes = ["unlock"]
    var choiceCount: Int { choices.count }

    static let actions: [Action] =
        [
            action("many-choose", "End them in the selected way") {
                model, many in model.end(many, by: many.cursor)
            },
            change("many-close", "Close it") { model, _ in model.closeOverlay() },
            change("many-next", "The next way") { _, many in many.select(many.cursor + 1) },
            change("many-previous", "The way before") { _, many in many.select(many.cursor - 1) },
        ]
        + (1...9).map { number in
            action("many-choose-\(number)", "End them in a way by number") { model, many in
                if many.choices.indices.contains(number - 1) {
                    return model.end(many, by: number - 1)
                }
                model.sayNone(number, of: many.choices.count)
                return []
            }
        }

    private mutating func select(_ index: Int) {
        cursor = max(0, min(index, choices.count - 1))
    }

    func hints(in model: Model) -> [Hint] {
        let close = model.hint("many-close", title: "close")
        guard model.isWritable, model.lockedBecause == nil else {
            let canUnlock = model.lockedBecause == nil && model.whyNotThere == nil
            let unlock = canUnlock ? model.hint("unlock", title: "unlock") : nil
            return [unlock, close].compactMap(\.self)
        }
        return [
            model.hint("many-choose", title: "preview"),
            Hint(
                keys: model.digits(of: "many-choose", upTo: choices.count), title: "preview"),
            close,
        ].compactMap(\.self)
    }

    func draw(on screen: inout Screen) {
        let model = screen.model
        let numberWidth = String(rows.count).count
        var lines = choices.enumerated().map { index, choice in
            let key = index < 9 ? model.keymap.hint(for: "many-choose-\(index + 1)") : ""
            let count = String(choice.edits.count)
            let padding = String(repeating: " ", count: max(0, numberWidth - count.count))
            let (text, role): (String, Role) =
                switch choice.way {
                case .newest: ("the newest side", .plain)
                case .proposal: ("what the sides come to, where nothing overlaps", .plain)
                case .side(let author): (screen.name(of: author), .device)
                }
            return TextLine(
                [
                    (key.isEmpty ? "  " : key + " ", .keyName),
                    ("\(padding)\(count) of \(rows.count)  ", choice.edits.isEmpty ? .dim : .label),
                    (text, choice.edits.isEmpty ? .disabled : role),
                ], isSelected: index == cursor)
        }
        lines.append(TextLine(""))
        lines += left(on: screen)
        let top = max(0, cursor - screen.surface.size.rows / 2)
        let question =
            if let reason = model.canEdit(.resolve).reason {
                TextLine("Ending them: \(reason)", .disabled)
            } else {
                TextLine(
                    "A way is previewed, and confirmed \(confirmation(by: model.keymap))",
                    .keyAction)
            }
        let sign = screen.mark(.conflict, or: "≠")
        let title = rows.count == 1 ? "1 row in conflict" : "\(rows.count) rows in conflict"
        screen.drawLines(
            lines, over: [question], title: "\(sign) \(title)", scrolled: Scrolled(lines: top))
    }

    /// How the selected way is confirmed: as any change, by the number of its rows or, of one, a key.
    private func confirmation(by keymap: Keymap) -> String {
        let rows = choices.indices.contains(cursor) ? choices[cursor].edits.count : 0
        return rows == 1
            ? "by \(keymap.hint(for: "preview-yes"))" : "by typing the number of its rows"
    }

    /// Which of the conflicts the selected way ends, or leaves as they are.
    private func left(on screen: Screen) -> [TextLine] {
        guard choices.indices.contains(cursor) else { return [] }
        let way = choices[cursor].way
        var ended = Names()
        var left = Names()
        for row in rows {
            for conflict in row.conflicts {
                if conflict.resolution(by: way) != nil {
                    ended.add(row, conflict)
                } else {
                    left.add(row, conflict)
                }
            }
        }
        return ended.lines("ended", .key, on: screen)
            + left.lines("left in conflict", .dim, on: screen)
    }

    /// The names of the first conflicts, and how many there are.
    private struct Names {
        private var first: [String] = []
        private var count = 0

        mutating func add(_ row: ConflictedRow, _ conflict: RowConflict) {
            count += 1
            guard first.count < 20 else { return }
            first.append(row.name + (conflict.part.map { " › \($0)" } ?? ""))
        }

        func lines(_ title: String, _ role: Role, on screen: Screen) -> [TextLine] {
            guard count > 0 else { return [] }
            let more = count > first.count ? " and \(count - first.count) more" : ""
            let text = first.joined(separator: ", ") + more
            return [TextLine(title, .label)] + screen.wrapped(screen.theme.text(text), role)
        }
    }
}

extension ConflictedRow {
    /// What ends the conflict in a way; `nil` where that way leaves it. Of several properties it ends
    /// those that the way ends.
    fileprivate func edit(by way: ManyConflicts.Way) -> Edit? {
        var properties: [FieldPath: Edit.Resolution] = [:]
        for conflict in conflicts {
            guard let resolution = conflict.resolution(by: way) else { continue }
            guard let part = conflict.part else { return .resolve(row, resolution) }
            properties[part] = resolution
        }
        return properties.isEmpty ? nil : .resolve(row, .properties(properties))
    }
}

extension RowConflict {
    fileprivate func resolution(by way: ManyConflicts.Way) -> Edit.Resolution? {
        switch way {
        case .newest:
            // Of sides of one time, the one that is shown: it comes first.
            let newest = sides.reduce(nil) { newest, side -> RowConflict.Side? in
                newest.map { side.instant > $0.instant ? side : $0 } ?? side
            }
            return newest.map { .take($0.id) }
        case .proposal:
            guard let proposal, proposal.overlaps.isEmpty else { return nil }
            return .value(proposal.typed)
        case .side(let author):
            return sides.contains { $0.author == author } ? .take(.init(author)) : nil
        }
    }
}

extension Model {
    /// Reads the conflicts of the chosen rows or, where none is chosen, of all rows of the list.
    mutating func askManyConflicts() -> [Effect] {
        guard let list else { return [] }
        let id = wait(for: .manyConflicts, of: list.source.id)
        say(.info, "reading the conflicts …")
        return [.manyConflicts(id, list.source.id, list.latestQuery, chosen: list.chosen)]
    }

    mutating func receiveManyConflicts(
        _ id: RequestID, _ answer: Message.Answer<[ConflictedRow]>
    ) {
        guard let awaited, awaited.id == id else { return }
        self.awaited = nil
        switch answer {
        case .success([]):
            let chosen = list?.chosen.isEmpty == false
            say(
                .info,
                chosen ? "none of the marked rows is in conflict" : "no row here is in conflict")
        case .success(let all):
            notice = nil
            // Of those that nobody chose, the ones that need nothing are left alone.
            let rows =
                list?.chosen.isEmpty == false
                ? all : all.filter { benignMark(of: $0.row) == nil }
            guard !rows.isEmpty else {
                say(
                    .info,
                    "the \(all.count) in conflict are marked benign; mark the rows to end them"
                )
                return
            }
            overlay = .many(ManyConflicts(source: awaited.source, rows: rows))
        case .failure(let failure): say(.error, failure.message)
        }
    }

    fileprivate mutating func end(_ many: ManyConflicts, by index: Int) -> [Effect] {
        guard many.choices.indices.contains(index) else { return [] }
        guard mayResolve("End them") else { return [] }
        let choice = many.choices[index]
        guard !choice.edits.isEmpty else {
            say(.warning, "no two sides can be put together without an overlap here")
            return []
        }
        return askPreview(.edit, source: many.source, choice.edits)
    }
}
