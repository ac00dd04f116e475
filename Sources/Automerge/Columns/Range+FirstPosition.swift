extension Range<Int> {
    /// Returns the first position that satisfies a condition, by binary search. All later positions
    /// must also satisfy it. Returns the end if no position does.
    @inline(__always)
    func firstPosition(where isTrue: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if isTrue(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
