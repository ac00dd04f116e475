/// The number of bytes of memory that a document may still spend on the chunks it reads.
///
/// A run-length column can announce billions of rows in a few bytes. A reader therefore spends the
/// cost of each row before it allocates memory for the row. In all readers, work is proportional to
/// memory, so the allowance also bounds their time.
///
/// A document starts with ``base`` and earns ``perByte`` for each byte of a chunk. Sample documents
/// cost less than they earn: a text of 259,778 edits costs 37 % of its earnings as one change, and
/// meeting notes of 154 KB cost 11 %. The base covers runs, which earn almost nothing because they
/// take few bytes: for example, 600,000 keystrokes of one character, or the deletion of 300,000
/// characters. It also covers many short changes: the same text with one change per edit costs 137 %
/// of its earnings. If a document would cost more, `Engine.save()` doesn't compress its columns.
struct Allowance {
    private(set) var left = base

    static let base = 96 << 20
    static let perByte = 1 << 10

    /// An allowance for reading data that is in memory already, such as the changes of another
    /// document.
    static let unlimited: Allowance = {
        var result = Allowance()
        result.left = .max / 2
        return result
    }()

    /// The maximum number of bytes that one item of each kind needs, including the growth of
    /// arrays.
    enum Cost {
        static let insertion = 160
        /// An operation on a key or an existing element. It may need a slot.
        static let operation = 288
        static let object = 256
        /// A predecessor or successor.
        static let link = 64
        /// Its record and hash, twice while arrays grow, and its row in the reader.
        static let change = 448
        /// A dependency, which is hashed together with its change.
        static let dependency = 64
        static let actor = 256
        /// An operation of a bundle that is not part of a change yet.
        static let looseOperation = 512
        /// A byte of a compressed column: once inflated, once in the document.
        static let inflatedByte = 2
    }

    mutating func earn(byteCount: Int) {
        left = min(left + byteCount * Self.perByte, .max / 2)
    }

    /// Spends `cost` bytes.
    ///
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

    /// Cancels all earnings since `earlier`, but keeps the spending.
    mutating func withdrawEarnings(since earlier: Allowance) {
        left = min(left, earlier.left)
    }

    private static let used = FormatError(
        .tooLarge, "a chunk expands beyond the size limit")
}
