import Foundation

/// Decimal numbers as the text that they have in a tree, where no kind of number is exact for them.
enum DecimalText {
    static func write(_ number: Decimal) -> String { number.isNaN ? "nan" : number.description }

    /// `nil` for what is no number, or one with more digits than a `Decimal` keeps: Foundation reads
    /// what text begins with, and cuts digits off.
    static func read(_ text: String) -> Decimal? {
        if text == "nan" { return .nan }
        guard text.utf8.count <= 256, let digits = significantDigits(text),
            let number = Decimal(string: text), !number.isNaN,
            significantDigits(number.description) == digits
        else { return nil }
        return number
    }

    /// The decimal number that a double is written as, not the one that it is nearest to.
    static func read(_ number: Double) -> Decimal? {
        number.isNaN ? .nan : number.isFinite ? read(number.description) : nil
    }

    /// The digits of a number without the zeros at its ends; `nil` for other text.
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
