extension Engine {
    /// Changes a text to `value`, keeping the characters that both texts have in common.
    ///
    /// The common prefix and suffix stay. Between the prefix and the suffix, the shortest edit by
    /// whole characters is applied. If this edit would delete and insert more than `longestSearch`
    /// characters, everything between the prefix and the suffix is replaced.
    mutating func updateText(_ object: UInt32, to value: String) throws(FormatError) {
        let old = Array(opSet.text(of: object, at: nil))
        let new = Array(value)
        var start = 0
        while start < old.count, start < new.count, Self.same(old[start], new[start]) { start += 1 }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, Self.same(old[oldEnd - 1], new[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
        }
        guard start < oldEnd || start < newEnd else { return }
        try begin()
        let edits = Self.edits(Array(old[start..<oldEnd]), Array(new[start..<newEnd]))
        // Edit from the end backwards, so that earlier positions stay valid.
        var widths = [0]
        for character in old[..<oldEnd] {
            widths.append(widths[widths.count - 1] + width(character))
        }
        for edit in edits.reversed() {
            let from = widths[start + edit.old.lowerBound]
            let count = widths[start + edit.old.upperBound] - from
            let position = try opSet.deleteElements(at: from, count: count, of: object)
            if !edit.new.isEmpty {
                try opSet.insertText(
                    String(new[start + edit.new.lowerBound..<start + edit.new.upperBound]),
                    at: position, of: object)
            }
        }
    }

    /// Returns whether two characters have the same UTF-8 bytes.
    private static func same(_ left: Character, _ right: Character) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    private func width(_ character: Character) -> Int {
        switch opSet.encoding {
        case .utf8: character.utf8.count
        case .utf16: character.utf16.count
        case .unicodeScalar: character.unicodeScalars.count
        case .graphemeCluster: 1
        }
    }

    /// The replacement of one range by another.
    struct TextEdit {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// The maximum number of deleted and inserted characters in an edit. A search for a longer edit
    /// stops.
    static let longestSearch = 2000

    /// Returns the shortest edit, found with the greedy algorithm of Myers, "An O(ND) Difference
    /// Algorithm and Its Variations" (1986).
    static func edits(_ old: [Character], _ new: [Character]) -> [TextEdit] {
        if old.isEmpty || new.isEmpty {
            return [TextEdit(old: 0..<old.count, new: 0..<new.count)]
        }
        let limit = Swift.min(old.count + new.count, longestSearch)
        // For each number of edits, the furthest position reached on each diagonal.
        var traces: [[Int]] = []
        var reached = [Int](repeating: 0, count: 2 * limit + 3)
        let middle = limit + 1
        for steps in 0...limit {
            for diagonal in stride(from: -steps, through: steps, by: 2) {
                var x =
                    diagonal == -steps
                        || (diagonal != steps
                            && reached[middle + diagonal - 1] < reached[middle + diagonal + 1])
                    ? reached[middle + diagonal + 1] : reached[middle + diagonal - 1] + 1
                while x < old.count, x - diagonal >= 0, x - diagonal < new.count,
                    same(old[x], new[x - diagonal])
                {
                    x += 1
                }
                reached[middle + diagonal] = x
                if x >= old.count, x - diagonal >= new.count {
                    return backtrack(traces, old: old.count, new: new.count)
                }
            }
            traces.append(Array(reached[middle - steps - 1...middle + steps + 1]))
        }
        return [TextEdit(old: 0..<old.count, new: 0..<new.count)]
    }

    /// Walks back from the end. Each step goes to a position that was reached with one edit fewer.
    private static func backtrack(_ traces: [[Int]], old: Int, new: Int) -> [TextEdit] {
        var edits: [TextEdit] = []
        var x = old
        var y = new
        for steps in stride(from: traces.count, to: 0, by: -1) {
            let reached = traces[steps - 1]
            let diagonal = x - y
            let middle = steps
            func at(_ diagonal: Int) -> Int {
                let index = middle + diagonal
                return index >= 0 && index < reached.count ? reached[index] : -1
            }
            let isInsertion =
                diagonal == -steps || (diagonal != steps && at(diagonal - 1) < at(diagonal + 1))
            let fromX = isInsertion ? at(diagonal + 1) : at(diagonal - 1)
            let fromY = fromX - (isInsertion ? diagonal + 1 : diagonal - 1)
            let edit =
                isInsertion
                ? TextEdit(old: fromX..<fromX, new: fromY..<fromY + 1)
                : TextEdit(old: fromX..<fromX + 1, new: fromY..<fromY)
            if let last = edits.last, edit.old.upperBound == last.old.lowerBound,
                edit.new.upperBound == last.new.lowerBound
            {
                edits[edits.count - 1] = TextEdit(
                    old: edit.old.lowerBound..<last.old.upperBound,
                    new: edit.new.lowerBound..<last.new.upperBound)
            } else {
                edits.append(edit)
            }
            x = fromX
            y = fromY
        }
        return edits.reversed()
    }
}
