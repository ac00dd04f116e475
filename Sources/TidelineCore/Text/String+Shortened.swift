extension String {
    /// Returns the start of the text with an ellipsis; `nil` if the text isn't longer than the
    /// limit.
    ///
    /// - Parameter limit: The maximum number of Unicode scalars before the ellipsis.
    func shortened(to limit: Int) -> String? {
        let start = unicodeScalars.prefix(limit)
        return start.endIndex < endIndex ? "\(Substring(start))…" : nil
    }
}
