import TidelineCore

/// The writes that led to a conflict, drawn as a graph: one lane per author, and one line per
/// write, newest first. Edges lead from each write to those that it is based on.
struct LineageGraph {
    /// The authors, in lane order.
    let lanes: [Author]
    /// The lanes of each write, without trailing spaces.
    let lines: [String]

    /// The characters that draw the graph.
    private struct Signs {
        let side: Character
        let write: Character
        let base: Character
        /// The characters by the directions of their lines: up, right, down, left.
        let lines: [Character]

        static let unicode = Signs(
            side: "●", write: "○", base: "◆", lines: Array(" │─╰││╭├─╯─┴╮┤┬┼"))
        static let ascii = Signs(
            // A side is `@`, because `*` marks the winner in the same line.
            side: "@", write: "o", base: "O", lines: Array(" |-`||.+-'-+.+++"))
    }

    /// The directions in which lines leave a point.
    private struct Directions: OptionSet {
        let rawValue: Int
        static let up = Directions(rawValue: 1)
        static let right = Directions(rawValue: 2)
        static let down = Directions(rawValue: 4)
        static let left = Directions(rawValue: 8)
    }

    /// Draws the graph.
    ///
    /// - Complexity: O(*n* · *l*) in the number of writes and authors.
    init(_ writes: [ConflictDetail.Write], isASCII: Bool) {
        let signs = isASCII ? Signs.ascii : .unicode
        let lanes = writes.map(\.author).uniqued()
        // The older writes that each lane still has to reach.
        var awaited = Array(repeating: Set<Int>(), count: lanes.count)
        var lines: [String] = []
        for (number, write) in writes.enumerated() {
            let own = lanes.firstIndex(of: write.author) ?? 0
            let ends = lanes.indices.filter { awaited[$0].contains(number) }
            let span = min(ends.min() ?? own, own)...max(ends.max() ?? own, own)
            var line = ""
            for lane in lanes.indices {
                let reaches = !awaited[lane].isEmpty
                awaited[lane].remove(number)
                var directions: Directions = []
                if reaches { directions.insert(.up) }
                if !awaited[lane].isEmpty { directions.insert(.down) }
                if span.contains(lane) {
                    if lane > span.lowerBound { directions.insert(.left) }
                    if lane < span.upperBound { directions.insert(.right) }
                }
                if lane == own {
                    line.append(
                        write.isBase ? signs.base : write.side == nil ? signs.write : signs.side)
                } else {
                    line.append(signs.lines[directions.rawValue])
                }
                line.append(
                    directions.contains(.right) ? signs.lines[Directions.right.rawValue] : " ")
            }
            awaited[own].formUnion(write.parents.filter { $0 > number })
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        self.lanes = lanes
        self.lines = lines
    }
}
