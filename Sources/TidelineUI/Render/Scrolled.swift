/// A scroll position. It is relative to the default position or to the end, because the number of
/// lines is only known when drawing.
struct Scrolled: Hashable, Sendable {
    static let start = Scrolled(lines: 0)
    static let end = Scrolled(lines: 0, isFromEnd: true)

    private(set) var lines: Int
    private var isFromEnd: Bool

    init(lines: Int, isFromEnd: Bool = false) {
        self.lines = lines
        self.isFromEnd = isFromEnd
    }

    /// Scrolls by a number of lines.
    ///
    /// - Parameters:
    ///   - least: The lower limit relative to the default position; `0` or less.
    ///   - most: An upper limit for the number of lines.
    mutating func move(by step: Int, from least: Int = 0, to most: Int) {
        let (moved, overflow) = lines.addingReportingOverflow(step)
        let target = overflow ? (step > 0 ? Int.max : Int.min) : moved
        if isFromEnd {
            // Scrolling before the first line returns to the default position.
            self = target < -most ? .start : Scrolled(lines: min(0, target), isFromEnd: true)
        } else {
            self = target > most ? .end : Scrolled(lines: max(least, target))
        }
    }

    /// Returns the first visible line.
    func top(of count: Int, shown body: Int, from first: Int = 0) -> Int {
        let last = max(0, count - body)
        return max(0, min(isFromEnd ? last + lines : first + lines, last))
    }
}
