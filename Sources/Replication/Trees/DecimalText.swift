import Foundation

/// Decimal numbers as text in a tree, because no numeric type represents them exactly.
enum DecimalText {
    static func write(_ number: Decimal) -> String { number.isNaN ? "nan" : number.description }

    /// Parses a number. Returns `nil` for invalid text and for more digits than a `Decimal` keeps.
    /// Foundation would parse a valid prefix and truncate the digits.
    static func read(_ text: String) -> Decimal? {
        if text == "nan" { return .nan }
        guard text.utf8.count <= 256, let digits = significantDigits(text),
            let number = Decimal(string: text), !number.isNaN,
            significantDigits(number.description) == digits
        else { return nil }
        return number
    }

    /// Returns the decimal number that a double is printed as, not its exact binary value.
    static func read(_ number: Double) -> Decimal? {
        number.isNaN ? .nan : number.isFinite ? read(number.description) : nil
    }

    /// Returns the digits of a number without leading and trailing zeros, or `nil` for other text.
    private static func significantDigits(_ text: String) -> [UInt8]? {
        var rest = text.utf8[...]
        func takeDigits() -> [UInt8]? {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.isEmpty ? nil : Array(digits)
        }
        func takeSign() { if rest.first == 0x2B || rest.first == 0x2D { rest.removeFirst() } }
        takeSign()
        guard var digits = takeDigits() else { return nil }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard let fraction = takeDigits() else { return nil }
            digits += fraction
        }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            takeSign()
            guard takeDigits() != nil else { return nil }
        }
        guard rest.isEmpty else { return nil }
        let isZero = { (digit: UInt8) in digit == UInt8(ascii: "0") }
        return digits.drop(while: isZero).reversed().drop(while: isZero).reversed()
    }
}
