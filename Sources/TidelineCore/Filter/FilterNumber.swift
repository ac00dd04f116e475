/// A number that filters compare. Integers are compared exactly, also above 2⁵³.
public struct FilterNumber: Hashable, Sendable {
    /// The number, rounded to a double if necessary.
    let real: Double
    /// The number if it is an integer; `nil` for a real below 2⁵³, because `real` is exact then.
    let integer: Int128?

    /// Creates a number from a real.
    public init(_ real: Double) {
        self.real = real
        integer = real.magnitude < 0x1p53 ? nil : Int128(exactly: real)
    }

    /// Creates a number from an integer.
    public init(integer: Int128) {
        real = Double(integer)
        self.integer = integer
    }

    /// Parses a number; `nil` if the text is not a number.
    public init?(_ text: some StringProtocol) {
        if let integer = Int128(text) {
            self.init(integer: integer)
        } else if let real = Double(text) {
            self.init(real)
        } else {
            return nil
        }
    }
}
