import TidelineCore

extension ConflictLines {
    /// Returns the writes that led to the conflict, by author and time.
    func graph(columns: Int) -> [TextLine] {
        guard view.writes.count > 1 else { return [] }
        let graph = LineageGraph(view.writes, isASCII: isASCII)
        let width = min(24, graph.lines.reduce(0) { max($0, $1.count) })
        let names = view.writes.map { canvas.name(of: $0.author) }
        let nameWidth = min(
            max(16, columns / 4), names.reduce(0) { max($0, CharacterWidth.width(of: $1)) })
        var lines = [TextLine(""), TextLine("History (newest first)", .label)]
        for ((write, signs), name) in zip(zip(view.writes, graph.lines), names) {
            let number = write.side.map { "\($0 + 1)" } ?? " "
            let winner =
                write.side.map { conflict.sides.indices.contains($0) } == true
                && write.side.map { conflict.sides[$0].isWinner } == true
            let star = winner ? canvas.winnerMark : " "
            var parts: [(String, Role)] = [(number + " ", .keyName)]
            parts += canvas.fitted([(signs, .timeline)], width + 1)
            parts.append((star + " ", .winner))
            parts += canvas.fitted([(name, canvas.role(of: write.author))], nameWidth)
            let time = write.instant.secondText(in: context.preferences.utcOffset)
            parts.append(("  " + time + "  ", .timestamp))
            if write.isBase { parts.append(("common base  ", .dim)) }
            parts.append((write.value, Role(write.role)))
            lines.append(TextLine(parts))
        }
        if view.hasMoreWrites { lines.append(TextLine("  older writes: see the log", .dim)) }
        return lines
    }
}
