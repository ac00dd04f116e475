import Replication
import TidelineCore

extension Canvas {
    /// Returns a value on one line if all of it fits, and otherwise on as many lines as it needs.
    func lines(
        _ label: String, _ value: EditPreview.Value?, _ role: Role
    ) -> [TextLine] {
        guard let value else { return [TextLine([(label, role), ("(nothing)", .dim)])] }
        let whole = value.isCut && value.whole?.kind != .data ? value.whole?.text : nil
        return block(label, whole ?? value.line, role, limit: Self.longestValue)
    }

    /// Returns the value before and after a change. If both would look the same when shortened,
    /// shows only the parts that differ.
    func lines(of change: EditPreview.Change) -> [TextLine] {
        let old = lines("  - ", change.old, .removed)
        let new = lines("  + ", change.new, .added)
        guard let before = change.old, let after = change.new, haveSameText(old, new) else {
            return old + new
        }
        let texts = DifferingTexts(
            before.whole?.text ?? before.line, after.whole?.text ?? after.line, same: 0)
        return block("  - ", texts.first, .removed, limit: Self.longestValue)
            + block("  + ", texts.second, .added, limit: Self.longestValue)
    }

    private func haveSameText(_ one: [TextLine], _ other: [TextLine]) -> Bool {
        one.map { $0.parts.last?.0 } == other.map { $0.parts.last?.0 }
    }

    /// The maximum number of lines for a value in a preview.
    static let longestValue = 400

    /// Returns the dialog lines of a sentence.
    ///
    /// - Parameter columns: The width of the dialog's text; by default that of the widest dialog.
    func sentence(
        _ label: String, _ text: String, _ role: Role, columns: Int? = nil
    ) -> [TextLine] {
        block(
            label, Sanitizer.visible(theme.text(text), ascii: theme.isASCII), role,
            columns: columns, limit: max(3, surface.size.rows / 3))
    }

    /// Returns text next to a label. Marks text that exceeds the limit.
    private func block(
        _ label: String, _ text: String, _ role: Role, columns: Int? = nil, limit: Int
    ) -> [TextLine] {
        let columns = max(10, (columns ?? surface.size.columns * 9 / 10 - 4) - label.count)
        let indent = String(repeating: " ", count: label.count)
        let parts = TextParts.wrap(text, columns: columns, limit: limit)
        let lines = parts.enumerated().map { index, part in
            TextLine([(index == 0 ? label : indent, role), (String(part), role)])
        }
        return lines + more(after: parts, of: text, indent: indent)
    }

    /// Marks the last line of text that continues.
    func more(after parts: [Substring], of text: String, indent: String) -> [TextLine] {
        guard let last = parts.last, last.endIndex < text.endIndex else { return [] }
        return [TextLine(theme.text(indent + "… more"), .dim)]
    }

    func text(of device: DeviceID) -> String {
        let name = name(of: .device(device))
        return name == device.name ? name : "\(name) (\(device.name))"
    }
}
