/// The number of bytes of memory that a document may still spend on the chunks that it reads.
///
/// A run-length column can announce billions of rows in a few bytes. A reader therefore spends the
/// cost of each row before it allocates memory for the row. The time that a reader takes is
/// proportional to the memory that it allocates, so the allowance also bounds its time.
///
/// A document starts with an allowance of ``base``, and each byte of a chunk adds ``perByte``. Most
/// documents cost less than their bytes add: a text of 259,778 edits in one change costs 37% of
/// that, and meeting notes of 154 KB cost 11%. With one change per edit, the text costs 137%. The
/// base is for documents with many short changes, and for documents of few bytes, such as
/// 600,000 keystrokes of one character. If loading a document would cost more than the allowance,
/// `Engine.save()` doesn't compress its columns.
struct Allowance {
    private(set) var left = base

    static let base = 96 << 20
    static let perByte = 1 << 10

    /// An allowance for reading data that is in memory already, such as the changes of another
    /// document.
    static let unlimited = Allowance(left: .max / 2)

    /// The maximum number of bytes that one item of each kind needs, including the growth of
    /// arrays.
    enum Cost {
        static let insertion = 160
        /// An operation on a key or an existing element, which may need a slot.
        static let operation = 288
        static let object = 256
        /// A predecessor or successor.
        static let link = 64
        /// A change: its record and hash, and its row in the reader. The record and the hash count
        /// twice, because growing an array copies its elements.
        static let change = 448
        /// A dependency, which is hashed together with its change.
        static let dependency = 64
        static let actor = 256
        /// An operation of a bundle that is not part of a change yet.
        static let looseOperation = 512
        /// A byte of a compressed column, which is stored twice: once inflated and once in the
        /// document.
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

    /// Cancels everything that was added to the allowance since `earlier`. The costs since then
    /// stay.
    mutating func withdrawEarnings(since earlier: Allowance) {
        left = min(left, earlier.left)
    }

    private static let used = FormatError(
        .tooLarge, "a chunk expands beyond the size limit")
}
