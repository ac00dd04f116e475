import CommandSupport
import Replication
import TidelineCore

/// Prints differences. Each has a line with the place, then the values of both sides. The words
/// that differ are marked.
struct DifferencePrinter {
    private let isJSON: Bool
    private let isColored = Output.hasColors

    init(isJSON: Bool) { self.isJSON = isJSON }

    func print(_ difference: StoreDifference) {
        if isJSON { return Output.json(difference.json) }
        // The difference of a whole document has an empty pointer.
        let place = difference.subject.names.filter { !$0.text.isEmpty || $0.name != "pointer" }
            .map { "\($0.name) \($0.text)" }.joined(separator: ", ")
        Output.line("\(difference.change.words) \(Printable.line(place))")
        for pair in difference.pairs { print(pair.from, pair.to, title: pair.title) }
    }

    /// Prints the lines in which two values differ.
    func print(_ old: StoreDifference.Side, _ new: StoreDifference.Side, title: String = "") {
        let lines = MarkedLines.between(old.value, new.value)
        print(lines.from, .from, title: title, note: note(on: old, beside: new))
        print(lines.to, .to, title: title, note: note(on: new, beside: old))
    }

    /// Returns the remark on a side. It names the device and, if both values have the same text,
    /// the type of the value.
    private func note(on side: StoreDifference.Side, beside other: StoreDifference.Side) -> String {
        let isSame = side.value?.text == other.value?.text
        let parts = [isSame ? side.value?.type : nil, side.device?.name].compactMap { $0 }
            .filter { !$0.isEmpty }
        return parts.isEmpty ? "" : "  (\(Printable.line(parts.joined(separator: ", "))))"
    }

    func print(_ counts: DifferenceCounts) {
        if isJSON {
            for line in counts.lines { Output.json(line.json) }
            return
        }
        var table = Table("STORE", "ADDED", "REMOVED", "CHANGED", "NOT ARRIVED")
        for line in counts.lines {
            table.add(
                line.table.map { "table \($0)" } ?? line.kind.rawValue, String(line[.added]),
                String(line[.removed]), String(line[.changed]), String(line[.notArrived]))
        }
        table.print()
    }

    /// Prints the lines of one side of a difference.
    ///
    /// - Parameters:
    ///   - title: Printed before each line.
    ///   - note: Printed after the first line.
    private func print(
        _ lines: [MarkedLine], _ side: ComparedSide, title: String, note: String
    ) {
        for (number, line) in lines.enumerated() {
            var text = "  \(side == .from ? "-" : "+") \(Printable.line(title))"
            for part in line.parts {
                let shown = Printable.line(part.text)
                text += part.isMarked ? marked(shown, side) : shown
            }
            Output.line(colored(number == 0 ? text + note : text, side))
        }
    }

    /// Marks words like `git diff --word-diff` if there are no colors.
    private func marked(_ text: String, _ side: ComparedSide) -> String {
        if isColored { return "\u{1B}[7m\(text)\u{1B}[27m" }
        return side == .from ? "[-\(text)-]" : "{+\(text)+}"
    }

    private func colored(_ text: String, _ side: ComparedSide) -> String {
        guard isColored else { return text }
        return "\u{1B}[\(side == .from ? 31 : 32)m\(text)\u{1B}[0m"
    }
}
