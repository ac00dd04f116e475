extension BinaryInteger {
    /// The number in the form for messages, with commas between thousands: `24,676`.
    package var grouped: String {
        var digits = String(magnitude)
        var end = digits.endIndex
        while let comma = digits.index(end, offsetBy: -3, limitedBy: digits.startIndex),
            comma > digits.startIndex
        {
            digits.insert(",", at: comma)
            end = comma
        }
        return self < 0 ? "-" + digits : digits
    }
}
