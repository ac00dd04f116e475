/// How many bytes of memory the chunks that a document reads may still cost.
///
/// A run-length column announces billions of rows in a few bytes, so a reader takes the cost of
/// each row from here before it allocates anything for it. Work is proportional to memory in all
/// readers, so this bounds their time as well.
///
/// A document starts with ``base`` and earns ``perByte`` for each byte of a chunk. Samples cost less
/// than they earn: a text of 259,778 edits costs 37 % as one change and 77 % with one change per
/// edit, meeting notes of 154 KB cost 11 %. The base is for runs, which need hardly any bytes:
/// 600,000 keystrokes of one character, or the deletion of half as many. `Engine.save()` writes
/// what would cost more in longer columns.
struct Allowance {
    private(set) var left = base

    static let base = 96 << 20
    static let perByte = 1 << 10

    /// For what is in memory already, such as the changes of another document.
    static let unlimited: Allowance = {
        var result = Allowance()
        result.left = .max / 2
        return result
    }()

    /// What one of each kind takes at most, growing arrays included.
    enum Cost {
        static let insertion = 160
        /// An operation on a key, or on an element that is there: it may have a slot.
        static let operation = 288
        static let object = 256
        /// A predecessor or successor.
        static let link = 64
        static let change = 640
        /// A dependency is hashed with its change.
        static let dependency = 64
        static let actor = 256
        /// An operation of a bundle before it has become one of a change.
        static let looseOperation = 512
        /// A byte of a column that was compressed: inflated, and in the document.
        static let inflatedByte = 2
    }

    mutating func earn(byteCount: Int) {
        left = min(left + byteCount * Self.perByte, .max / 2)
    }

    /// - Throws: `FormatError` with code `.tooLarge` if less is left.
    @inline(__always)
    mutating func spend(_ cost: Int) throws(FormatError) {
        guard cost <= left else { throw Self.used }
        left -= cost
    }

    mutating func spend(_ cost: Int, times count: UInt64) throws(FormatError) {
        guard count <= UInt64(left / cost) else { throw Self.used }
        left -= cost * Int(count)
    }

    /// Takes back what was earned since `earlier`, and none of what was spent.
    mutating func withdrawEarnings(since earlier: Allowance) {
        left = min(left, earlier.left)
    }

    private static let used = FormatError(
        .tooLarge, "a chunk expands beyond the size limit")
}
