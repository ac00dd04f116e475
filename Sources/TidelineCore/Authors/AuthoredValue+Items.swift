import Replication

/// The items that a list has in common with an earlier version.
extension AuthoredValue {
    /// The maximum number of pairs of edited items to compare word by word.
    private static var comparedPairs: Int { 1_024 }

    /// Returns, for each item of a list, its index in an earlier version of the list, even if the
    /// item was edited; `nil` for new items.
    ///
    /// Equal items are found first, like equal words of a text. In each gap between two equal
    /// items, edited items are then recognized by their words.
    ///
    /// - Complexity: As `matches(in:limit:)`. In addition, each gap between two equal items
    ///   takes up to 1,024 comparisons of items.
    static func matchingItems(of items: [Value], in base: [Value]) -> [Int?] {
        // Values can be large, so each is hashed once.
        var numbers: [Value: Int] = [:]
        let all = (items + base).map { item in
            let number = numbers[item] ?? numbers.count
            numbers[item] = number
            return number
        }
        var matches = Array(all.prefix(items.count))
            .matches(in: Array(all.dropFirst(items.count)), limit: TextDifference.limit)
        let equal = matches.indices.compactMap { index in matches[index].map { (index, $0) } }
        var (start, baseStart) = (0, 0)
        for (end, match) in equal + [(items.count, base.count)] {
            for (index, edited) in edits(of: items[start..<end], in: base[baseStart..<match]) {
                matches[index] = edited
            }
            (start, baseStart) = (end + 1, match + 1)
        }
        return matches
    }

    /// Returns the pairs of items, by index, that share words. If there are too many items, pairs
    /// items at the same position.
    private static func edits(
        of items: ArraySlice<Value>, in base: ArraySlice<Value>
    ) -> [(Int, Int)] {
        guard !items.isEmpty, !base.isEmpty else { return [] }
        guard items.count <= comparedPairs / base.count else {
            return Array(zip(items.indices, base.indices))
        }
        let words = items.map { ItemWords($0) }
        let baseWords = base.map { ItemWords($0) }
        let shared = words.map { item in baseWords.map { item.sharedLength(with: $0) } }
        // `best[i][j]` is the maximum total length of shared words if the items from `i` and `j` on
        // are paired in order.
        var best = [[Int]](
            repeating: [Int](repeating: 0, count: base.count + 1), count: items.count + 1)
        for index in words.indices.reversed() {
            for other in baseWords.indices.reversed() {
                best[index][other] = max(
                    best[index + 1][other], best[index][other + 1],
                    best[index + 1][other + 1] + shared[index][other])
            }
        }
        var pairs: [(Int, Int)] = []
        var (index, other) = (0, 0)
        while index < words.count, other < baseWords.count {
            let length = shared[index][other]
            if length > 0, best[index][other] == best[index + 1][other + 1] + length {
                pairs.append((items.startIndex + index, base.startIndex + other))
                (index, other) = (index + 1, other + 1)
            } else if best[index][other] == best[index + 1][other] {
                index += 1
            } else {
                other += 1
            }
        }
        return pairs
    }
}

/// The words of a list item, which identify the item in an earlier version.
private struct ItemWords {
    /// The maximum number of words to compare.
    private static let limit = 200

    /// The lengths of the words, by a hash of their place and text.
    private var lengths: [Int: Int] = [:]

    init(_ item: some StructuredValue) { add(item, []) }

    private mutating func add(_ value: some StructuredValue, _ path: [String]) {
        guard lengths.count < Self.limit else { return }
        if let members = value.members {
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                add(member, path + [name.text])
            }
        } else if let items = value.items {
            // Leave out positions, because an item's position changes when other items are added.
            for item in items { add(item, path + [""]) }
        } else if let text = value.asText {
            let words = TextDifference.Words(String(text.prefix(4_096)))
            for word in words where lengths.count < Self.limit {
                guard word.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
                lengths[Self.hash(of: word, path)] = word.utf8.count
            }
        } else {
            // Numbers and booleans identify an item less reliably than its texts.
            lengths[Self.hash(of: value.line[...], path)] = 1
        }
    }

    private static func hash(of word: Substring, _ path: [String]) -> Int {
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(word)
        return hasher.finalize()
    }

    /// Returns the total length of the words that both items contain.
    func sharedLength(with other: Self) -> Int {
        lengths.reduce(0) { $0 + (other.lengths[$1.key] == nil ? 0 : $1.value) }
    }
}
