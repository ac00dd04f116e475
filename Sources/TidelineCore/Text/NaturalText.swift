/// A text in natural order: digits are compared as numbers, so that `note/2` comes before
/// `note/10`. Everything else is compared by its UTF-8 bytes.
struct NaturalText: Comparable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }

    /// Returns whether the left text comes first.
    ///
    /// - Complexity: O(*n*) in the length of the common prefix.
    static func < (lhs: Self, rhs: Self) -> Bool {
        var (left, right) = (lhs.text, rhs.text)
        return left.withUTF8 { left in right.withUTF8 { right in order(left, right) < 0 } }
    }

    /// Returns a negative number if the left text comes first, a positive number if the right text
    /// comes first, and 0 for equal texts.
    private static func order(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var (a, b) = (0, 0)
        while a < left.count, b < right.count {
            guard isDigit(left[a]), isDigit(right[b]) else {
                if left[a] != right[b] { return left[a] < right[b] ? -1 : 1 }
                (a, b) = (a + 1, b + 1)
                continue
            }
            let (first, second) = (number(in: left, from: a), number(in: right, from: b))
            // Without leading zeros, the longer number is the greater one.
            if first.count != second.count { return first.count - second.count }
            for (digit, other) in zip(left[first], right[second]) where digit != other {
                return digit < other ? -1 : 1
            }
            (a, b) = (first.upperBound, second.upperBound)
        }
        let rest = (left.count - a) - (right.count - b)
        if rest != 0 { return rest }
        // Only leading zeros differ.
        for (byte, other) in zip(left, right) where byte != other { return byte < other ? -1 : 1 }
        return left.count - right.count
    }

    /// Returns the range of the number that starts at an index, without leading zeros.
    private static func number(
        in text: UnsafeBufferPointer<UInt8>, from start: Int
    ) -> Range<Int> {
        var first = start
        while first < text.count, text[first] == UInt8(ascii: "0") { first += 1 }
        var end = first
        while end < text.count, isDigit(text[end]) { end += 1 }
        return first..<end
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension NaturalText {
    /// The length of the longest list of names in natural order. Lists are sorted again after each
    /// change, so longer lists stay in byte order unless the user sorts them.
    static let longestList = 5_000
}

extension Array {
    /// Returns the elements in the natural order of their names or, if there are too many of them,
    /// in the order of the array.
    package func inNaturalOrder(of name: (Element) -> String) -> [Element] {
        guard count <= NaturalText.longestList else { return self }
        return map { (name: NaturalText(name($0)), element: $0) }.sorted { $0.name < $1.name }
            .map { $0.element }
    }
}
