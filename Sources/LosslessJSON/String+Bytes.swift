extension StringProtocol {
    /// Returns whether both have the same UTF-8 bytes. Swift's `==` also holds for canonically
    /// equivalent texts, such as the two forms of `é`, which are different names and values.
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension Optional where Wrapped: StringProtocol {
    /// Returns whether both are `nil` or have the same UTF-8 bytes.
    package func hasSameBytes(as other: (some StringProtocol)?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
