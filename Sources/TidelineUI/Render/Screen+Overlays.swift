import Replication
import TidelineCore

extension Screen {
    mutating func drawOverlay() {
        model.overlay?.module.draw(on: &self)
        // A dialog has one background, whatever the roles of its texts are.
        if let dialog { surface.underlay(dialog, theme[.menu]) }
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

    /// A sentence in as many lines of a dialog as it needs.
    func sentence(_ label: String, _ text: String, _ role: Role) -> [TextLine] {
        let columns = max(10, surface.size.columns * 9 / 10 - 4 - label.count)
        let indent = String(repeating: " ", count: label.count)
        return TextParts.wrap(
            Sanitizer.visible(text, ascii: theme.isASCII), columns: columns,
            limit: max(3, surface.size.rows / 3)
        ).enumerated().map { TextLine([($0 == 0 ? label : indent, role), (String($1), role)]) }
    }

    func name(of author: Author) -> String { model.name(of: author) }

    func deviceText(_ preview: EditPreview) -> String {
        let name = name(of: .device(preview.device))
        return name == preview.device.name ? name : "\(name) (\(preview.device.name))"
    }
}
