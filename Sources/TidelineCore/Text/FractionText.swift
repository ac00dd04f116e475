/// Formatting of fractions.
package enum FractionText {
    /// Formats a fraction as a percentage with one decimal: `12.5%`, or `<0.1%`.
    package static func percentage(_ part: Double) -> String {
        let tenths = Int((part * 1000).rounded())
        if tenths == 0, part > 0 { return "<0.1%" }
        return "\(tenths / 10).\(tenths % 10)%"
    }

    /// Formats a fraction as a bar of at most `width` columns; at least one unless it is 0.
    package static func bar(_ part: Double, width: Int) -> String {
        let columns = Int((part * Double(width)).rounded())
        return String(repeating: "█", count: min(width, max(part > 0 ? 1 : 0, columns)))
    }
}
