extension StringProtocol {
    /// Whether both are the same bytes of UTF-8. Swift's `==` also holds for texts that are only
    /// canonically equivalent, as `é` in its two forms, which names and values are not.
    package func hasSameBytes(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension Optional where Wrapped: StringProtocol {
    /// Whether both are missing, or the same bytes of UTF-8.
    package func hasSameBytes(as other: (some StringProtocol)?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
