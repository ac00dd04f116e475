/// Lossless ISO 8601 text for the dates inside values, each of which is a `Double` of seconds.
package enum DateText {
    /// Returns `seconds` as `2026-11-21T09:15:00.5Z`, with as many digits as necessary to
    /// distinguish it from the adjacent `Double` values.
    ///
    /// - Returns: `nil` outside the years 1 to 9999, and if no decimal text reproduces the value.
    package static func text(secondsSince2001 seconds: Double) -> String? {
        guard abs(seconds) < 1e12 else { return nil }
        let whole = seconds.rounded(.down)
        let instant = Timestamp(microseconds: Int64(whole) * 1_000_000).iso8601
        guard instant.count == 27, !instant.hasPrefix("0000"), !instant.hasPrefix("-") else {
            return nil
        }
        let head = instant.prefix(19)
        let fraction = seconds - whole
        guard fraction != 0 else {
            return seconds.sign == .minus && seconds == 0 ? nil : head + "Z"
        }
        var scale = 1.0
        for digits in 1...17 {
            scale *= 10
            let scaled = (fraction * scale).rounded()
            guard scaled < scale else { continue }
            let number = String(Int(scaled))
            let zeros = String(repeating: "0", count: max(0, digits - number.count))
            let text = "\(head).\(zeros)\(number)Z"
            if secondsSince2001(text) == seconds { return text }
        }
        return nil
    }

    /// Parses the texts that ``Timestamp/init(parsing:)`` parses, except numbers of microseconds.
    /// The seconds can have up to 17 decimal places.
    package static func secondsSince2001(_ text: String) -> Double? {
        guard Int64(text) == nil else { return nil }
        var whole = text
        var fraction = ""
        if let point = text.firstIndex(where: { $0 == "." || $0 == "," }) {
            let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
            // Only seconds may have a fraction, not minutes or days.
            guard text[..<point].count(where: { $0 == ":" }) == 2,
                (1...17).contains(digits.count)
            else { return nil }
            whole.removeSubrange(point..<digits.endIndex)
            fraction = String(digits)
        }
        guard let instant = try? Timestamp(parsing: whole) else { return nil }
        return seconds(instant.microseconds / 1_000_000, fraction)
    }

    /// Returns the number nearest to whole seconds plus decimals. The digits are joined as text,
    /// because adding `-1` and `0.999999` as numbers would not result in exactly `-0.000001`.
    private static func seconds(_ whole: Int64, _ fraction: String) -> Double? {
        guard whole < 0, let decimals = Int64(fraction), decimals > 0 else {
            return Double("\(whole).\(fraction.isEmpty ? "0" : fraction)")
        }
        let scale = fraction.reduce(Int64(1)) { scale, _ in scale * 10 }
        let rest = String(scale - decimals)
        let zeros = String(repeating: "0", count: fraction.count - rest.count)
        return Double("-\(-(whole + 1)).\(zeros)\(rest)")
    }
}
