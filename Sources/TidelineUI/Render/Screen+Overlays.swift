import Replication
import TidelineCore

extension Screen {
    mutating func drawOverlay() {
        model.overlay?.module.draw(on: &self)
        // A dialog has one background, whatever the roles of its texts are.
        if let dialog { surface.underlay(dialog, theme[.menu].background) }
    }

    /// A text below the line of a side, whole as far as a screen has space for it.
    func wrapped(_ text: String, _ role: Role, columns: Int? = nil) -> [TextLine] {
        let columns = max(10, columns ?? surface.size.columns * 9 / 10 - 8)
        return TextParts.wrap(text, columns: columns, limit: max(3, surface.size.rows / 3)).map {
            TextLine([("    ", .plain), (String($0), role)])
        }
    }

    /// Draws lines that may scroll over a last one that does not.
    ///
    /// - Parameter frame: Where; `nil`: in the middle, as large as the lines need.
    mutating func drawQuestion(
        _ lines: [TextLine], _ question: TextLine, title: String, top: Int, in frame: Rect? = nil
    ) {
        let size = surface.size
        let widest = (lines.prefix(200) + [question]).reduce(0) { widest, line in
            max(
                widest,
                line.parts.reduce(0) { $0 + CharacterWidth.width(of: String($1.0.prefix(300))) })
        }
        let rect =
            frame
            ?? OverlayFrame.centered(
                columns: min(max(widest + 2, 50), size.columns * 9 / 10), rows: lines.count + 1,
                size: size)
        let inner = drawFrame(rect, title: title)
        let body = max(0, inner.rows - 1)
        let first = max(0, min(top, lines.count - body))
        for (row, line) in lines.dropFirst(first).prefix(body).enumerated() {
            put(
                line.parts, at: Point(column: inner.column + 1, row: inner.row + row),
                maxWidth: inner.columns - 2)
            if line.isSelected {
                surface.bar(
                    Rect(
                        column: inner.column, row: inner.row + row, columns: inner.columns, rows: 1),
                    theme[.menuSelection])
            }
        }
        put(
            question.parts, at: Point(column: inner.column + 1, row: inner.endRow - 1),
            maxWidth: inner.columns - 2)
        drawMore(first: first, shown: body, of: lines.count, in: rect)
    }

    /// A value in its line; one that the line leaves a part out of as far as there is space.
    func lines(
        _ label: String, _ value: EditPreview.Value?, _ role: Role
    ) -> [TextLine] {
        guard let value else { return [TextLine([(label, role), ("(nothing)", .dim)])] }
        guard value.isCut, let whole = value.whole, whole.kind != .data else {
            return [TextLine([(label, role), (value.line, role)])]
        }
        let columns = max(10, surface.size.columns * 9 / 10 - 4 - label.count)
        let indent = String(repeating: " ", count: label.count)
        return TextParts.wrap(
            whole.text, columns: columns, limit: max(3, surface.size.rows / 3)
        ).enumerated().map { TextLine([($0 == 0 ? label : indent, role), (String($1), role)]) }
    }

    func name(of author: Author) -> String { model.name(of: author) }

    func deviceText(_ preview: EditPreview) -> String {
        let name = name(of: .device(preview.device))
        return name == preview.device.name ? name : "\(name) (\(preview.device.name))"
    }
}
