import Foundation
import Replication
import TidelineCore

/// A screen row of the inspector.
struct InspectorRow {
    /// The index of the detail line that the row belongs to.
    var line: Int
    var label = ""
    var labelWidth = 0
    var indent = 0
    var text: Substring
    var role: Role
    var isHeading = false
    var isLink = false
    /// Whether to draw the link sign. Lines whose text contains the sign don't get another.
    var hasLinkSign = false
    /// Whether the nested lines are shown; `nil` if there are none.
    var isOpen: Bool?
    /// Whether text is cut off at the start or at the end.
    var isShifted = false
    var isCut = false
    /// The device that wrote the value of the line.
    var writer: DeviceID?
    /// The parts of the text if they have different looks; empty if all look the same.
    var parts: [Detail.Part] = []
    /// The writers whose marks are in the margin, in the order of their parts.
    var authors: [Author] = []
}

extension InspectorPanel {
    private static let wrapLimit = 200
    /// The width of the margin with the marks of writers.
    private static let marginColumns = 4
    /// The minimum width of a text: the width of a date, which is never broken.
    private static let leastColumns = 10

    /// Returns the screen rows of a line at a given width.
    func rows(at number: Int, width: Int) -> [InspectorRow] {
        guard let shown = shownLine(at: number) else { return [] }
        switch shown.line {
        case .heading(let title):
            return [InspectorRow(line: number, text: title[...], role: .label, isHeading: true)]
        case .line(let line):
            let indent = min(1 + max(0, line.depth) * 2, max(1, width / 2))
            let label = line.label
            var labelWidth =
                label.isEmpty && !line.isContinuation
                ? 0 : min(shown.labelWidth + 1, max(0, width * 9 / 20))
            if line.parts.contains(where: { $0.author != nil }) {
                labelWidth = min(Self.marginColumns, width / 4)
            }
            var columns = width - indent - labelWidth
            if let bytes = line.bytes {
                return Self.rows(
                    of: bytes, columns: columns,
                    in: InspectorRow(
                        line: number, label: label, labelWidth: labelWidth, indent: indent,
                        text: "", role: Role(line.role)))
            }
            var rows: [InspectorRow] = []
            var row = InspectorRow(
                line: number, label: label, labelWidth: labelWidth, indent: indent, text: "",
                role: Role(line.role), isOpen: shown.isOpen)
            if columns < Self.leastColumns, CharacterWidth.exceeds(line.text, columns: columns) {
                if !label.isEmpty {
                    // There is no space for text next to the label.
                    row.labelWidth = width - indent + 1
                    rows.append(row)
                    (row.label, row.labelWidth, row.isOpen) = ("", 0, nil)
                }
                row.indent = min(indent, max(1, width - Self.leastColumns))
                columns = width - row.indent
            }
            row.isLink = line.link != nil
            row.writer = line.writer
            row.hasLinkSign = row.isLink && !line.text.hasPrefix("→")
            let isTime = [.timestamp, .date].contains(line.role)
            let whole = isTime ? TimeText.fitting(line.text, columns: columns) : line.text
            // Text that fits stays in place while longer texts scroll.
            row.isShifted = sideScroll > 0 && CharacterWidth.exceeds(whole, columns: columns)
            let text =
                row.isShifted ? TextParts.dropping(columns: sideScroll, from: whole) : whole
            let parts = TextParts.wrap(text, columns: columns, limit: Self.wrapLimit)
            for (index, part) in parts.enumerated() {
                row.text = part
                row.show(line.parts, from: part.offset(in: text, cutFrom: whole))
                row.isCut = index + 1 == Self.wrapLimit && part.endIndex < text.endIndex
                rows.append(row)
                (row.label, row.isOpen, row.isShifted) = ("", nil, false)
            }
            return rows
        }
    }

    /// Lays out bytes as hexadecimal digits that fit the width.
    private static func rows(
        of bytes: Data, columns: Int, in row: InspectorRow
    ) -> [InspectorRow] {
        let count =
            [16, 8, 4, 2].first { HexText.columns(ofByteCount: $0) <= columns } ?? 1
        let offset = Int(row.label, radix: 16) ?? 0
        return stride(from: 0, to: bytes.count, by: count).map { start in
            var row = row
            row.label = HexText.label(offset + start)
            row.text = HexText.line(bytes.dropFirst(start).prefix(count), byteCount: count)[...]
            return row
        }
    }

    /// Returns the visible screen rows.
    func rows(in size: Size) -> [InspectorRow] {
        var result: [InspectorRow] = []
        var number = top
        while result.count < size.rows, number < lineCount {
            let rows = rows(at: number, width: size.columns)
            result += number == top ? rows.dropFirst(rowsAbove) : rows[...]
            number += 1
        }
        return Array(result.prefix(size.rows))
    }

    func draw(in inner: Rect, on canvas: inout Canvas) { canvas.draw(self, in: inner) }

    /// Draws two lines about the selected row, below a list that fills the screen.
    func drawPeek(on canvas: inout Canvas) { canvas.drawPeek(of: self) }

    /// Whether the answer belongs to the selected row.
    fileprivate func isDetailCurrent(in context: ScreenContext) -> Bool {
        hasDetail(in: context) && shown?.row == context.list?.cursorID
    }

    /// Whether the loaded detail belongs to a row of this list. While the detail of the selected
    /// row loads, the previous detail stays visible with its title.
    fileprivate func hasDetail(in context: ScreenContext) -> Bool {
        guard let shown else { return false }
        return shown.source == context.list?.source.id
    }
}

extension InspectorRow {
    /// Keeps only the parts of a wrapped line that are in this screen row.
    ///
    /// - Parameter offset: The number of bytes of the line before the text of this screen row.
    fileprivate mutating func show(_ all: [Detail.Part], from offset: Int) {
        guard !all.isEmpty else { return }
        parts = []
        var (rest, end) = (text.utf8, 0)
        for part in all {
            end += part.text.utf8.count
            // The number of bytes of the remaining text up to the end of the part.
            let count = end - offset - (text.utf8.count - rest.count)
            guard count > 0, !rest.isEmpty else { continue }
            let shown = Substring(rest.prefix(count))
            parts.append(
                Detail.Part(String(shown), isMarked: part.isMarked, author: part.author))
            rest = rest.dropFirst(count)
        }
        authors = parts.compactMap(\.author).uniqued()
    }
}

extension Substring {
    /// Returns this part's byte offset in `whole`. `text` is `whole`, perhaps without its start.
    fileprivate func offset(in text: String, cutFrom whole: String) -> Int {
        whole.utf8.count - text.utf8.count
            + text.utf8.distance(from: text.startIndex, to: startIndex)
    }
}

extension Canvas {
    fileprivate mutating func draw(_ inspector: InspectorPanel, in inner: Rect) {
        if inspector.isDetailCurrent(in: context), let problem = inspector.problem {
            surface.put(
                theme.text("! \(problem)"), in: inner, style: theme[.error], alignment: .leading)
            return
        }
        guard inspector.hasDetail(in: context), inspector.detail != nil else {
            drawRowAsDetail(inner)
            return
        }
        let rows = inspector.rows(in: inner.size)
        if context.layout.hasFrame(.inspector), let frame = context.layout.panels[.inspector] {
            let (top, count) = (inspector.top, inspector.lineCount)
            // The last line may have more rows than fit.
            let last = rows.last.map { $0.line } ?? top
            let isWhole =
                inspector.rows(at: last, width: inner.columns).count
                == rows.count { $0.line == last }
                + (last == top ? inspector.rowsAbove : 0)
            drawMore(first: top, shown: last - top + (isWhole ? 1 : 0), of: count, in: frame)
        }
        for (offset, row) in rows.enumerated() {
            let rect = inner.line(offset)
            if row.isHeading {
                surface.put(
                    String(row.text), at: rect.origin, style: theme[.label].adding(.bold),
                    maxWidth: rect.columns)
            } else {
                let start = rect.column + row.indent
                let role = context.session.role(row.role, of: row.text)
                if let isOpen = row.isOpen {
                    let signs = theme.isASCII ? ("v", ">") : ("▾", "▸")
                    surface.put(
                        isOpen ? signs.0 : signs.1, at: rect.point(start - 1), style: theme[.dim])
                }
                if row.authors.isEmpty {
                    surface.put(
                        row.label, at: rect.point(start),
                        style: theme[labelRole(of: row)],
                        maxWidth: max(0, row.labelWidth - 1))
                } else {
                    drawMarks(of: row.authors, at: rect.point(start), columns: row.labelWidth - 1)
                }
                let text = start + row.labelWidth
                let used =
                    row.parts.isEmpty
                    ? surface.put(
                        String(row.text), at: rect.point(text),
                        style: row.isLink ? theme[.link].over(theme[role]) : theme[role],
                        maxWidth: rect.endColumn - text)
                    : drawParts(row.parts, role, at: rect.point(text), end: rect.endColumn)
                if row.isShifted {
                    surface.put(
                        surface.ellipsis, at: rect.point(text), style: theme[.dim], maxWidth: 1)
                }
                if row.isCut {
                    surface.put(
                        surface.ellipsis,
                        at: rect.point(min(text + used, rect.endColumn - 1)),
                        style: theme[.dim], maxWidth: 1)
                }
                if row.hasLinkSign, text + used + 2 <= rect.endColumn {
                    surface.put(
                        theme.isASCII ? " >" : " →", at: rect.point(text + used),
                        style: theme[.link])
                }
            }
            if row.line == inspector.cursor, context.panels.focus == .inspector {
                select(rect, in: .inspector)
            }
        }
    }

    private mutating func drawMarks(of authors: [Author], at point: Point, columns: Int) {
        for (offset, author) in authors.prefix(max(0, columns)).enumerated() {
            let isLast = offset + 1 == columns && authors.count > columns
            let role = context.session.role(of: author)
            let mark = theme.mark(role)
            surface.put(
                isLast ? "+" : mark.isEmpty ? String(author.name.prefix(1)) : mark,
                at: point.right(by: offset),
                style: isLast ? theme[.dim] : theme[role], maxWidth: 1)
        }
    }

    /// Draws parts of a text with their looks. Returns the width of the text.
    private mutating func drawParts(
        _ parts: [Detail.Part], _ role: Role, at point: Point, end: Int
    ) -> Int {
        var column = point.column
        for part in parts where column < end {
            column += surface.put(
                part.text, at: Point(column: column, row: point.row), style: style(of: part, role),
                maxWidth: end - column)
        }
        return column - point.column
    }

    /// Returns the style of a part. Without colors, attributes distinguish writers.
    private func style(of part: Detail.Part, _ role: Role) -> Style {
        if let author = part.author {
            let own = context.session.role(of: author)
            let devices = Role.devices
            guard let index = devices.firstIndex(of: own), Set(devices.map { theme[$0] }).count == 1
            else { return theme[own] }
            return theme[own].adding(Self.attributesOfWriters[index])
        }
        guard part.isMarked else { return theme[role] }
        return switch role {
        case .added: theme[.addedWord]
        case .removed: theme[.removedWord]
        default: theme[role].adding(.underline)
        }
    }

    /// The attributes that replace the colors of devices, in the same order.
    private static let attributesOfWriters: [Style.Attributes] = [
        [], .underline, .bold, .reverse, [.bold, .underline], .italic,
    ]

    /// Returns the role of a row's label, which may be the name of the device that wrote.
    private func labelRole(of row: InspectorRow) -> Role {
        guard let writer = row.writer.map(Author.device),
            context.session.name(of: writer) == row.label
        else { return .label }
        return context.session.role(of: writer)
    }

    /// Shows the cells of the selected row until the details of a row in the list have loaded.
    private mutating func drawRowAsDetail(_ inner: Rect) {
        guard let row = context.list?.selectedRow else { return drawEmpty(inner) }
        for (index, part) in knownParts(of: row).prefix(inner.rows).enumerated() {
            put(
                [(part.title + " ", .label), (part.text, part.role)],
                at: Point(column: inner.column + 1, row: inner.row + index),
                maxWidth: inner.columns - 1)
        }
    }

    /// Draws the reason why the inspector is empty. A visible list shows the reason itself.
    private mutating func drawEmpty(_ inner: Rect) {
        guard let list = context.list, list.total == 0 else { return }
        drawCentered(
            context.layout.panels[.list] == nil ? context.emptyText(list) : ["no row to show"],
            in: inner)
    }

    /// Returns the cells of a row with their column titles.
    private func knownParts(of row: Row) -> [(title: String, text: String, role: Role)] {
        let columns = context.list?.source.columns ?? []
        return row.cells.enumerated().map { index, cell in
            let title = columns.indices.contains(index) ? columns[index].title : ""
            return (title, cell.text, Role(cell.role))
        }
    }

    fileprivate mutating func drawPeek(of inspector: InspectorPanel) {
        guard let rect = context.layout.peek, rect.rows == 2 else { return }
        surface.horizontalLine(
            at: rect.origin, columns: rect.columns, style: theme[.border])
        let detail = inspector.hasDetail(in: context) ? inspector.detail : nil
        let shown = inspector.shown?.row
        // Take the title, the marks and the lines from the same row.
        let row =
            detail == nil
            ? context.list?.selectedRow : context.list?.rows.first { $0.id == shown }
        guard detail != nil || row != nil else { return }
        let room = rect.columns - 2
        let lines: [(String, String, Role)] =
            detail.map {
                // Each line takes at least one column, so more lines would never fit.
                $0.sections.lazy.flatMap(\.lines).prefix(max(1, room)).map {
                    ($0.label, $0.text, Role($0.role))
                }
            } ?? row.map { knownParts(of: $0).map { ($0.title, $0.text, $0.role) } } ?? []
        var parts: [(String, Role)] = []
        var width = -3
        for (label, text, role) in lines {
            let label = label.isEmpty ? "" : label + " "
            parts += [(label, .label), (text, role), ("   ", .plain)]
            width += CharacterWidth.width(of: label + String(text.prefix(room))) + 3
        }
        put(
            Array(parts.dropLast()), at: Point(column: rect.column + 1, row: rect.row + 1),
            maxWidth: room)
        // If text is cut off, show the key that opens the inspector instead of the title. Overlays
        // list their own keys.
        let key = context.key("inspector")
        let hint = width > room && !key.isEmpty ? " \(key) inspector " : ""
        let hintColumns = CharacterWidth.width(of: hint)
        let edge = rect.endColumn - (hint.isEmpty ? 0 : hintColumns + 2)
        var column = rect.column + 1
        column += surface.put(
            " \(detail?.title ?? row?.shownName ?? row?.id.name ?? "") ",
            at: rect.point(column), style: theme[.title],
            maxWidth: max(0, edge - column - 1))
        if let row, row.isConflict {
            let ignored = context.ignoredMark(of: row.id)
            column +=
                1
                + surface.put(
                    ignored.map {
                        " \(ignoredMark) ignored\($0.note.isEmpty ? "" : ": ")\($0.note) "
                    }
                        ?? " \(mark(.conflict, or: "≠")) conflict ",
                    at: rect.point(column + 1),
                    style: theme[ignored == nil ? .conflict : .dim],
                    maxWidth: max(0, edge - column - 2))
        }
        surface.put(
            theme.text(hint), at: rect.point(rect.endColumn - hintColumns - 1),
            style: theme[.dim], maxWidth: max(0, rect.columns - 2))
    }
}
