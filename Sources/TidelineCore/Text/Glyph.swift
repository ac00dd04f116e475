/// The content of one terminal cell: a character of one or two columns, with at most four marks
/// (accents, vowel signs).
///
/// A cell of ncurses has the same limits, so the layout here is what ncurses draws. A glyph
/// contains no control characters, no invisible characters, and nothing whose width differs between
/// terminals. Only `Glyphs` creates glyphs from data.
public struct Glyph: Hashable, Sendable {
    //  low:  base (21 bits) | mark 1 (21) | mark 2 (21)
    //  high: mark 3 (21) | mark 4 (21) | width (2)
    @usableFromInline var low: UInt64
    @usableFromInline var high: UInt64

    @inlinable package init(_ base: Unicode.Scalar, width: Int) {
        low = UInt64(base.value)
        high = UInt64(width) << 42
    }

    /// An empty cell.
    public static let space = Glyph(" ", width: 1)

    /// The right half of a two-column character.
    public static let continuation = Glyph("\0", width: 0)

    /// The number of columns: 1 or 2, or 0 for the right half of a wide character.
    @inlinable public var width: Int { Int(high >> 42) }

    /// The character without its marks.
    public var base: Unicode.Scalar { Self.scalar(low) ?? " " }

    /// The marks on the character, in order.
    public var marks: [Unicode.Scalar] {
        if low >> 21 == 0 { return [] }
        return [low >> 21, low >> 42, high, high >> 21].compactMap { bits in
            bits & 0x1F_FFFF == 0 ? nil : Self.scalar(bits)
        }
    }

    /// Whether the glyph is a single ASCII character.
    public var isASCII: Bool { low < 0x80 }

    /// Adds a mark to the character. A fifth mark is dropped.
    mutating func add(_ mark: Unicode.Scalar) {
        let bits = UInt64(mark.value)
        if low >> 21 == 0 {
            low |= bits << 21
        } else if low >> 42 == 0 {
            low |= bits << 42
        } else if high & 0x1F_FFFF == 0 {
            high |= bits
        } else if (high >> 21) & 0x1F_FFFF == 0 {
            high |= bits << 21
        }
    }

    private static func scalar(_ bits: UInt64) -> Unicode.Scalar? {
        Unicode.Scalar(UInt32(truncatingIfNeeded: bits & 0x1F_FFFF))
    }

    /// Appends the content of the cell; nothing for the right half of a wide character.
    package func append(to text: inout String) {
        if width == 0 { return }
        text.unicodeScalars.append(base)
        for mark in marks { text.unicodeScalars.append(mark) }
    }
}
