/// How far a text is scrolled: by lines from where it is shown first, or from its end, as how many
/// lines it has is known only where it is drawn.
struct Scrolled: Hashable, Sendable {
    static let start = Scrolled(lines: 0)
    static let end = Scrolled(lines: 0, isFromEnd: true)

    private(set) var lines: Int
    private var isFromEnd = false

    init(lines: Int) { self.lines = lines }

    private init(lines: Int, isFromEnd: Bool) {
        self.lines = lines
        self.isFromEnd = isFromEnd
    }

    /// Scrolls on.
    ///
    /// - Parameters:
    ///   - least: How many lines it can be from where it is shown first, `0` or fewer.
    ///   - most: As many lines as it has, or more.
    mutating func move(by step: Int, from least: Int = 0, to most: Int) {
        let (moved, overflow) = lines.addingReportingOverflow(step)
        let target = overflow ? (step > 0 ? Int.max : Int.min) : moved
        if isFromEnd {
            // Beyond the first line it is where it is shown first.
            self = target < -most ? .start : Scrolled(lines: min(0, target), isFromEnd: true)
        } else {
            self = target > most ? .end : Scrolled(lines: max(least, target))
        }
    }

    /// The first line that is shown.
    func top(of count: Int, shown body: Int, from first: Int = 0) -> Int {
        let last = max(0, count - body)
        return max(0, min(isFromEnd ? last + lines : first + lines, last))
    }
}
