/// The glyphs drawn for a cluster of characters.
///
/// Most clusters are one glyph. If several characters of a cluster have a width, terminals differ
/// in the cluster's total width. Such clusters are drawn in a form that has the same width in all
/// terminals:
///
/// - Joined emoji are drawn next to each other: 👩‍💻 as 👩💻, four columns.
/// - Skin tones, variation selectors and joiners are not drawn: ❤️ as ❤, 👋🏽 as 👋.
/// - The two letters of a flag are drawn as letters in squares.
/// - Marks without a letter are drawn on a dotted circle; marks after the fourth are not drawn.
package struct Glyphs {
    package private(set) var elements: [Glyph] = []

    package init() {}

    /// Replaces the glyphs with those of another cluster.
    ///
    /// - Parameter ascii: Whether the visible forms of control characters are ASCII.
    /// - Returns: The total number of columns.
    package mutating func replace(with character: Character, ascii: Bool = false) -> Int {
        elements.removeAll(keepingCapacity: true)
        var width = 0
        var context = Sanitizer.Context()
        for scalar in character.unicodeScalars {
            guard context.isVisible(scalar) else {
                var form = ""
                Sanitizer.appendForm(of: scalar, ascii: ascii, to: &form)
                for scalar in form.unicodeScalars { elements.append(Glyph(scalar, width: 1)) }
                width += form.unicodeScalars.count
                continue
            }
            width += add(scalar)
        }
        return width
    }

    private mutating func add(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value == 0x200C || value == 0x200D || value >= 0xE0000 && value < 0xE1000
            || Sanitizer.Context.isVariationSelector(value)
        {
            return 0
        }
        if (0x1F3FB...0x1F3FF).contains(value), let last = elements.last, last.width == 2 {
            return 0
        }
        if (0x1F1E6...0x1F1FF).contains(value), let square = Unicode.Scalar(value - 0xB6) {
            elements.append(Glyph(square, width: 1))
            return 1
        }
        let width = CharacterWidth.width(of: scalar) ?? 0
        if width > 0 {
            elements.append(Glyph(scalar, width: width))
            return width
        }
        if elements.isEmpty {
            elements.append(Glyph("\u{25CC}", width: 1))
            elements[0].add(scalar)
            return 1
        }
        elements[elements.count - 1].add(scalar)
        return 0
    }
}
