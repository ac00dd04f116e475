import CWideCharacters
import Glibc

/// Computes the number of terminal columns of a text.
///
/// Widths are the same as from libc's `wcwidth` in a UTF-8 locale, which ncurses also uses. A
/// cluster takes the columns of the glyphs drawn for it (see `Glyphs`). So it has the same width in
/// terminals with and without joined emoji.
public enum CharacterWidth {
    /// Returns the number of columns of a text on the screen, with invisible characters made
    /// visible.
    ///
    /// - Complexity: O(*n*). To compare a long text with a limit, use ``exceeds(_:columns:)``.
    public static func width(of text: String) -> Int {
        if let count = Sanitizer.cleanASCIICount(text) { return count }
        var glyphs = Glyphs()
        var width = 0
        for character in text { width += glyphs.replace(with: character) }
        return width
    }

    /// Returns the number of columns of one cluster.
    public static func width(of character: Character) -> Int {
        if let ascii = character.asciiValue, ascii >= 0x20, ascii < 0x7F { return 1 }
        var glyphs = Glyphs()
        return glyphs.replace(with: character)
    }

    /// Returns whether a text takes more than a number of columns. Reads only as much of the text
    /// as necessary.
    public static func exceeds(_ text: String, columns: Int) -> Bool {
        if columns >= 0, columns < .max,
            let count = Sanitizer.cleanASCIICount(text, limit: columns + 1)
        {
            return count > columns
        }
        var glyphs = Glyphs()
        var left = columns
        for character in Sanitizer.bounded(text, columns: columns) {
            left -= glyphs.replace(with: character)
            if left < 0 { return true }
        }
        return false
    }

    /// Returns libc's width of a scalar: 0 for marks, `nil` for unprintable scalars.
    static func width(of scalar: Unicode.Scalar) -> Int? {
        let value = scalar.value
        if value < 0x7F { return value < 0x20 ? nil : 1 }
        return WidthTable.shared.width(of: value)
    }
}

/// The widths of libc. They are read once, because `wcwidth` depends on the locale of the calling
/// thread.
private struct WidthTable: Sendable {
    static let shared = WidthTable()

    // Two bits per code point for planes 0 to 3, which contain all visible characters. 3 means
    // unprintable.
    private static let limit: UInt32 = 0x40000
    private let bits: [UInt8]

    private init() {
        var bits = [UInt8](repeating: 0xFF, count: Int(Self.limit / 4))
        var locale: locale_t?
        for name in ["C.UTF-8", "C.utf8", "en_US.UTF-8", ""] where locale == nil {
            locale = newlocale(LC_CTYPE_MASK, name, nil)
        }
        if let locale {
            let previous = uselocale(locale)
            for value in 0x80..<Self.limit {
                let width = tideline_wcwidth(wchar_t(bitPattern: value))
                if width < 0 || width > 2 { continue }
                let shift = (value & 3) * 2
                bits[Int(value >> 2)] &= ~(3 << shift)
                bits[Int(value >> 2)] |= UInt8(width) << shift
            }
            uselocale(previous)
            freelocale(locale)
        }
        self.bits = bits
    }

    func width(of value: UInt32) -> Int? {
        guard value < Self.limit else {
            // Characters in planes 15 and 16 are for private use and have one column. Plane 14 has
            // only invisible characters, and the other planes are empty.
            return value >= 0xF0000 && value & 0xFFFF < 0xFFFE ? 1 : value >> 16 == 0xE ? 0 : nil
        }
        let width = Int(bits[Int(value >> 2)] >> ((value & 3) * 2) & 3)
        return width == 3 ? nil : width
    }
}
