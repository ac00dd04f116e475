/// Texts that are numbers, and that don't change during a conversion to numbers and back.
package enum PlainNumber {
    /// Returns the integer that a text spells without leading zeros, spaces or a plus sign.
    package static func integer(_ text: String) -> Int64? {
        guard let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    /// Returns the text if it spells an integer that 64 bits can't represent.
    package static func largeInteger(_ text: String) -> String? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            Int64(text) == nil
        else { return nil }
        return text
    }

    /// Returns whether a text is a decimal number, and a real keeps all its digits.
    package static func isReal(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let first = digits.first, (0x30...0x39).contains(first),
            first != 0x30 || digits.dropFirst().first == UInt8(ascii: "."),
            digits.allSatisfy({ (0x30...0x39).contains($0) || ".eE+-".utf8.contains($0) }),
            digits.contains(where: { ".eE".utf8.contains($0) })
        else { return false }
        guard let number = Double(text), number.isFinite else { return false }
        // Every real within the normal range keeps 15 digits.
        if digits.count <= 16, digits.allSatisfy({ !"eE".utf8.contains($0) }) { return true }
        return significantDigits(of: text) == significantDigits(of: "\(number)")
    }

    /// Returns the digits of a decimal number before its exponent, without zeros at either end.
    private static func significantDigits(of text: String) -> [UInt8] {
        let digits = text.utf8.prefix { !"eE".utf8.contains($0) }
            .filter { (0x30...0x39).contains($0) }
        return Array(digits.trimmingPrefix { $0 == 0x30 }.reversed().trimmingPrefix { $0 == 0x30 })
    }
}
