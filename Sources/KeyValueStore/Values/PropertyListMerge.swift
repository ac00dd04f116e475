import Replication

/// The three-way merge of several values with a common ancestor. A change is adopted unless another
/// side changed the same part.
///
/// Dictionaries are merged member by member, arrays element by element, and texts line by line (a
/// text of one line: word by word), as in diff3. If two sides add lines or elements at the same
/// place, both are kept. Other values are indivisible. If only one side changed such a value, the
/// change is adopted. If two sides changed the same part differently, the change of the first of
/// these sides is adopted, and the place is recorded.
public struct PropertyListMerge: Hashable, Sendable {
    /// The merged value; `nil` for none.
    public var value: PropertyList?
    /// The places that sides changed differently: members by name, joined by `/`; empty for the
    /// whole value.
    public var overlaps: [String] = []

    /// The maximum number of parts of a text or array. Longer ones are merged as a whole.
    private static let partLimit = 2_000

    /// Merges values.
    ///
    /// - Parameters:
    ///   - sides: The values, in order of priority for overlaps; `nil` if the side removed the
    ///     value.
    ///   - base: The common ancestor; `nil` if there was none or it is unknown.
    /// - Complexity: O(*n* · *d*) in the size of the values and the number of their differences.
    public init(_ sides: [PropertyList?], base: PropertyList?) {
        guard let first = sides.first else {
            value = base
            return
        }
        value = first
        for side in sides.dropFirst() {
            value = Self.merge(value, side, base: base, at: [], &overlaps)
        }
        var seen: Set<Name> = []
        overlaps = overlaps.filter { seen.insert(Name($0)).inserted }
    }

    private static func merge(
        _ ours: PropertyList?, _ theirs: PropertyList?, base: PropertyList?, at path: [String],
        _ overlaps: inout [String]
    ) -> PropertyList? {
        if ours == theirs || theirs == base { return ours }
        if ours == base { return theirs }
        switch (ours, theirs, base) {
        case (.dictionary(let ours), .dictionary(let theirs), let base):
            var before: [Name: PropertyList] = [:]
            if case .dictionary(let members)? = base { before = members }
            var merged: [Name: PropertyList] = [:]
            for name in Set(ours.keys).union(theirs.keys).sorted() {
                merged[name] = merge(
                    ours[name], theirs[name], base: before[name], at: path + [name.text], &overlaps)
            }
            return .dictionary(merged)
        case (.array(let ours), .array(let theirs), .array(let base))
        where max(ours.count, theirs.count, base.count) <= partLimit:
            let merge = SequenceMerge(ours, theirs, base: base, keepsBoth: true)
            note(merge.overlaps, "item", at: path, &overlaps)
            return .array(merge.elements)
        case (.string(let ours), .string(let theirs), .string(let base)):
            let isLine = !(ours + theirs + base).utf8.contains(UInt8(ascii: "\n"))
            let parts = [ours, theirs, base].map { isLine ? words(of: $0) : lines(of: $0) }
            guard parts.allSatisfy({ $0.count <= partLimit }) else { break }
            let merge = SequenceMerge(
                parts[0], parts[1], base: parts[2], keepsBoth: !isLine)
            note(merge.overlaps, isLine ? "word" : "line", at: path, &overlaps)
            return .string(merge.elements.map(\.text).joined())
        default: break
        }
        overlaps.append(path.joined(separator: "/"))
        return ours
    }

    private static func note(
        _ ranges: [Range<Int>], _ part: String, at path: [String], _ overlaps: inout [String]
    ) {
        let place = path.joined(separator: "/")
        for range in ranges {
            overlaps.append(
                (place.isEmpty ? "" : place + " ") + "\(part) \(range.lowerBound + 1)")
        }
    }

    /// Splits a text into lines with their line endings. Lines are compared by bytes, because a
    /// letter may have several encodings.
    private static func lines(of text: String) -> [Name] {
        var lines: [Name] = []
        var start = text.startIndex
        while let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let next = text.utf8.index(after: end)
            lines.append(Name(String(text[start..<next])))
            start = next
        }
        if start < text.endIndex { lines.append(Name(String(text[start...]))) }
        return lines
    }

    /// Splits a text into words and the separators between them.
    private static func words(of text: String) -> [Name] {
        var words: [Name] = []
        var word = ""
        var isSpace = false
        for character in text {
            if !word.isEmpty, character.isWhitespace != isSpace {
                words.append(Name(word))
                word = ""
            }
            isSpace = character.isWhitespace
            word.append(character)
        }
        if !word.isEmpty { words.append(Name(word)) }
        return words
    }
}
