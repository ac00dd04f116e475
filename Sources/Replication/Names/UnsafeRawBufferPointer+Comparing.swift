public import Glibc

extension UnsafeRawBufferPointer {
    /// Returns whether these bytes equal `other`.
    @inlinable package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && compare(to: other) == 0
    }

    /// Returns a negative number, zero, or a positive number if these bytes come before, equal, or
    /// come after `other`.
    @inlinable package func compare(to other: UnsafeRawBufferPointer) -> Int {
        let common = Swift.min(count, other.count)
        if common > 0, let lhs = baseAddress, let rhs = other.baseAddress {
            let order = Int(memcmp(lhs, rhs, common))
            if order != 0 { return order }
        }
        return count - other.count
    }
}
