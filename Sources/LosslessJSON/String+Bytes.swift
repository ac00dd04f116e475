extension StringProtocol {
    /// Returns whether both texts have the same UTF-8 bytes. For Swift's `==`, canonically
    /// equivalent texts, such as the two encodings of `é`, are equal. Stores treat them as
    /// different names and values.
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension Optional where Wrapped: StringProtocol {
    /// Returns whether both texts are `nil` or have the same UTF-8 bytes.
    package func hasSameBytes(as other: (some StringProtocol)?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
