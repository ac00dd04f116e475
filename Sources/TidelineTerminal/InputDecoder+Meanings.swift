import TidelineUI

extension InputDecoder {
    /// Interprets a control sequence by its final byte and parameters.
    mutating func meaning(
        of final: UInt8, parameters: ArraySlice<UInt8>, now: ContinuousClock.Instant
    ) -> Outcome {
        let first = parameters.first ?? 0
        if first == UInt8(ascii: "<"), final == UInt8(ascii: "M") || final == UInt8(ascii: "m") {
            return mouse(parameters.dropFirst(), isPress: final == UInt8(ascii: "M"), now: now)
        }
        if first == UInt8(ascii: "?"), final == UInt8(ascii: "c") {
            return .event(.deviceAttributes)
        }
        // Other sequences that start with one of `<=>?` are answers that weren't requested.
        guard first == 0 || (0x30...0x3B).contains(first) else { return .nothing }
        let numbers = Self.numbers(parameters)
        let number = numbers.first ?? 1
        let modifiers = Self.modifiers(numbers.count > 1 ? numbers[1] : 1)

        switch final {
        case UInt8(ascii: "~"):
            if number == 200 { return .pasteBegins }
            if number == 27, numbers.count > 2 { return Self.typed(numbers[2], modifiers) }
            return Self.numberedKey(number, modifiers)
        case UInt8(ascii: "u"): return Self.typed(number, modifiers)
        case UInt8(ascii: "Z"): return .key(Self.key(.tab, [.shift]))
        // rxvt encodes modifiers in the final byte.
        case UInt8(ascii: "$"): return Self.numberedKey(number, .shift)
        case UInt8(ascii: "^"): return Self.numberedKey(number, .control)
        case UInt8(ascii: "@"): return Self.numberedKey(number, [.control, .shift])
        case UInt8(ascii: "a")...UInt8(ascii: "d"):
            guard let code = Self.letterCode(final - 0x20) else { return .nothing }
            return .key(Key(code, .shift))
        // F3 can look like a report of the cursor position, which is never requested.
        default:
            guard let code = Self.letterCode(final) else { return .nothing }
            return .key(Self.key(code, modifiers))
        }
    }

    /// Interprets an answer that is a control string, such as the background color
    /// `]11;rgb:ffff/ffff/ffff`.
    func answer(_ bytes: ArraySlice<UInt8>) -> Outcome {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("]11;"), let isDark = Self.isDark(text.dropFirst(4)) else {
            return .nothing
        }
        return .event(.background(isDark: isDark))
    }

    /// Returns whether an X11 color is closer to black than to white; `nil` for other texts.
    static func isDark(_ color: some StringProtocol) -> Bool? {
        guard let colon = color.firstIndex(of: ":"),
            ["rgb", "rgba"].contains(String(color[..<colon]))
        else { return nil }
        let parts = color[color.index(after: colon)...].split(separator: "/")
        guard parts.count >= 3 else { return nil }
        var light = 0.0
        for (part, weight) in zip(parts, [0.299, 0.587, 0.114]) {
            guard (1...4).contains(part.utf8.count), let value = UInt32(part, radix: 16) else {
                return nil
            }
            light += weight * Double(value) / Double((1 << (4 * part.utf8.count)) - 1)
        }
        return light < 0.5
    }

    // MARK: Keys

    /// Returns the arrow or function key of a final letter, in both cursor modes.
    static func letterCode(_ final: UInt8) -> Key.Code? {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "P"): .function(1)
        case UInt8(ascii: "Q"): .function(2)
        case UInt8(ascii: "R"): .function(3)
        case UInt8(ascii: "S"): .function(4)
        default: nil
        }
    }

    /// Returns the key of the numeric keypad in application mode.
    static func keypadCode(_ final: UInt8) -> Key.Code? {
        switch final {
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "I"): .tab
        case UInt8(ascii: "X"): .character("=")
        case UInt8(ascii: "j")...UInt8(ascii: "y"):
            .character(Character(Unicode.Scalar(final - 0x40)))
        default: nil
        }
    }

    private static func numberedKey(_ number: Int, _ modifiers: Key.Modifiers) -> Outcome {
        let code: Key.Code
        switch number {
        case 1, 7: code = .home
        case 2: code = .insert
        case 3: code = .delete
        case 4, 8: code = .end
        case 5: code = .pageUp
        case 6: code = .pageDown
        case 11...15: code = .function(number - 10)
        case 17...21: code = .function(number - 11)
        case 23...26: code = .function(number - 12)
        case 28, 29: code = .function(number - 13)
        case 31...34: code = .function(number - 14)
        default: return .nothing
        }
        return .key(key(code, modifiers))
    }

    /// Returns a key identified by its character code, on terminals that can distinguish all keys.
    private static func typed(_ number: Int, _ modifiers: Key.Modifiers) -> Outcome {
        let code: Key.Code
        switch number {
        case 9: code = .tab
        case 13, 57414: code = .enter
        case 27: code = .escape
        case 8, 127: code = .backspace
        default:
            guard let value = UInt32(exactly: number), let scalar = Unicode.Scalar(value),
                value >= 0x20, !(0x7F..<0xA0).contains(value), !(0xE000...0xF8FF).contains(value)
            else { return .nothing }
            var typed = String(scalar)
            var rest = modifiers
            // Shift turns a letter into its capital, except ß, whose capital has two letters.
            if modifiers.contains(.shift), !modifiers.contains(.control) {
                let capital = typed.uppercased()
                if capital.count == 1 { typed = capital }
                rest.remove(.shift)
            }
            guard let character = typed.first else { return .nothing }
            return .key(.character(character, rest))
        }
        return .key(key(code, modifiers))
    }

    /// Returns a key with modifiers. Tab with shift is a separate key.
    static func key(_ code: Key.Code, _ modifiers: Key.Modifiers) -> Key {
        guard code == .tab, modifiers.contains(.shift) else { return Key(code, modifiers) }
        return Key(.backTab, modifiers.subtracting(.shift))
    }

    /// Decodes modifiers: the number is one more than the sum of their bits.
    static func modifiers(_ number: Int) -> Key.Modifiers {
        guard number > 1, number <= 256 else { return [] }
        let bits = number - 1
        var modifiers: Key.Modifiers = []
        if bits & 1 != 0 { modifiers.insert(.shift) }
        // Alt and Meta are treated as one modifier.
        if bits & (2 | 8 | 32) != 0 { modifiers.insert(.alt) }
        if bits & 4 != 0 { modifiers.insert(.control) }
        return modifiers
    }

    /// Returns the numbers between semicolons, up to a colon; missing numbers are 1.
    private static func numbers(_ parameters: ArraySlice<UInt8>) -> [Int] {
        parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            let digits = $0.prefix { (0x30...0x39).contains($0) }.prefix(7)
            if digits.isEmpty { return 1 }
            return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
    }

    // MARK: Mouse

    /// Returns a mouse event in SGR form: button, column, row.
    private mutating func mouse(
        _ parameters: ArraySlice<UInt8>, isPress: Bool, now: ContinuousClock.Instant
    ) -> Outcome {
        let numbers = Self.numbers(parameters)
        guard numbers.count == 3, isPress, numbers[1] > 0, numbers[2] > 0 else { return .nothing }
        let (button, column, row) = (numbers[0] & ~(4 | 8 | 16), numbers[1] - 1, numbers[2] - 1)
        let kind: MouseEvent.Kind
        switch button {
        case 0:
            if let last = lastClick, last.column == column, last.row == row,
                now - last.instant < .milliseconds(400)
            {
                kind = .doubleClick
                lastClick = nil
            } else {
                kind = .click
                lastClick = (column, row, now)
            }
        case 32: kind = .drag
        case 64: kind = .wheelUp
        case 65: kind = .wheelDown
        default: return .nothing
        }
        return .event(.input(.mouse(MouseEvent(kind, column: column, row: row))))
    }
}
