/// The text that a terminal shows after some bytes: the part of xterm that ncurses uses, for
/// characters of one column. Unknown sequences are kept, so that a test can expect none.
public struct ScreenText: Sendable {
    public private(set) var columns: Int
    public private(set) var rows: Int
    public private(set) var isAlternate = false
    public private(set) var isCursorVisible = true
    /// Private modes that are set: 1000, 1002 and 1006 for the mouse, 2004 for bracketed paste.
    public private(set) var modes: Set<Int> = []
    /// Unknown sequences, and strings such as a window's title.
    public private(set) var unknown: [String] = []
    /// The text copied to the clipboard, encoded.
    public private(set) var copied: [String] = []
    public private(set) var cursor = (column: 0, row: 0)
    /// The answer to the query for the background, after the `;`; `nil` for none.
    public var background: String?

    private var cells: [[Character]]
    private var main: [[Character]]
    private var margins: ClosedRange<Int>
    private var last: Character = " "
    private var pending: [UInt8] = []
    private var answers = ""

    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Self.empty(columns, rows)
        main = cells
        margins = 0...max(0, rows - 1)
    }

    /// The rows, without the spaces at their ends.
    public var lines: [String] {
        cells.map { row in
            var row = row
            while row.last == " " { row.removeLast() }
            return String(row)
        }
    }

    mutating func resize(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Self.empty(columns, rows)
        main = cells
        margins = 0...max(0, rows - 1)
        cursor = (0, 0)
    }

    /// Interprets bytes, and returns the terminal's answers to them.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> String {
        answers = ""
        pending += bytes
        var offset = 0
        while offset < pending.count, let count = step(pending[offset...]) { offset += count }
        pending.removeFirst(offset)
        return answers
    }

    private static func empty(_ columns: Int, _ rows: Int) -> [[Character]] {
        [[Character]](repeating: [Character](repeating: " ", count: columns), count: rows)
    }

    // MARK: Reading

    /// Reads one character or sequence; returns its length, or `nil` if it is incomplete.
    private mutating func step(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        let byte = bytes[start]
        switch byte {
        case 0x07, 0x00: return 1
        case 0x08:
            cursor.column = max(0, cursor.column - 1)
            return 1
        case 0x09:
            cursor.column = min(columns - 1, (cursor.column / 8 + 1) * 8)
            return 1
        case 0x0A:
            lineFeed()
            return 1
        case 0x0D:
            cursor.column = 0
            return 1
        case 0x0E, 0x0F: return 1
        case 0x1B: return escape(bytes)
        case 0..<0x20, 0x7F:
            unknown.append("control \(byte)")
            return 1
        default:
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            guard bytes.count >= length else { return nil }
            let text = String(decoding: bytes[start..<(start + length)], as: UTF8.self)
            for scalar in text.unicodeScalars where (0x80..<0xA0).contains(scalar.value) {
                unknown.append("C1 \(scalar.value)")
            }
            for character in text { put(character) }
            return length
        }
    }

    private mutating func escape(_ bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes.count > 1 else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "["):
            guard let end = bytes[(start + 2)...].firstIndex(where: { 0x40...0x7E ~= $0 }) else {
                return nil
            }
            control(bytes[(start + 2)..<end], bytes[end])
            return end + 1 - start
        case UInt8(ascii: "]"), UInt8(ascii: "P"):
            guard let end = bytes.firstIndex(of: 0x07) ?? stringEnd(bytes) else { return nil }
            string(String(decoding: bytes[(start + 1)..<end], as: UTF8.self))
            return end + 1 - start + (bytes[end] == 0x1B ? 1 : 0)
        case UInt8(ascii: "("), UInt8(ascii: ")"): return bytes.count > 2 ? 3 : nil
        case UInt8(ascii: "M"):
            cursor.row == margins.lowerBound ? scroll(-1) : (cursor.row = max(0, cursor.row - 1))
        case UInt8(ascii: "7"), UInt8(ascii: "8"), UInt8(ascii: "="), UInt8(ascii: ">"): break
        default: unknown.append("ESC \(bytes[start + 1])")
        }
        return 2
    }

    private func stringEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.dropFirst().indices.dropLast().first { bytes[$0] == 0x1B && bytes[$0 + 1] == 0x5C }
    }

    private mutating func string(_ text: String) {
        if text == "]11;?" {
            if let background { answers += "\u{1B}]11;\(background)\u{1B}\\" }
        } else if text.hasPrefix("]52;c;") {
            copied.append(String(text.dropFirst(6)))
        } else if text != "]104" {
            // This one resets the palette, as ncurses does when it ends.
            unknown.append("string \(text)")
        }
    }

    // MARK: Drawing

    private mutating func put(_ character: Character) {
        if cursor.column >= columns {
            cursor.column = 0
            lineFeed()
        }
        if rows > 0, columns > 0 { cells[cursor.row][cursor.column] = character }
        cursor.column += 1
        last = character
    }

    private mutating func lineFeed() {
        if cursor.row == margins.upperBound {
            scroll(1)
        } else {
            cursor.row = min(rows - 1, cursor.row + 1)
        }
    }

    /// Moves the rows within the margins up or down, and clears the freed rows.
    private mutating func scroll(_ count: Int, from top: Int? = nil) {
        let range = (top ?? margins.lowerBound)...margins.upperBound
        let blank = [Character](repeating: " ", count: columns)
        for _ in 0..<min(abs(count), range.count) {
            if count > 0 {
                cells.remove(at: range.lowerBound)
                cells.insert(blank, at: range.upperBound)
            } else {
                cells.remove(at: range.upperBound)
                cells.insert(blank, at: range.lowerBound)
            }
        }
    }

    private mutating func clear(row: Int, _ range: Range<Int>) {
        for column in range.clamped(to: 0..<columns) { cells[row][column] = " " }
    }

    private mutating func control(_ parameters: ArraySlice<UInt8>, _ final: UInt8) {
        let text = String(decoding: parameters, as: UTF8.self)
        if text.hasPrefix("?"), final == UInt8(ascii: "h") || final == UInt8(ascii: "l") {
            for number in text.dropFirst().split(separator: ";") {
                setMode(Int(number) ?? -1, final == UInt8(ascii: "h"))
            }
            return
        }
        let numbers = text.split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
        let first = max(1, numbers.first ?? 1)
        switch final {
        case UInt8(ascii: "m"), UInt8(ascii: "t"), UInt8(ascii: "h"), UInt8(ascii: "l"): break
        // With a question mark, it sets the shape of the Linux console's cursor.
        case UInt8(ascii: "c") where text.hasPrefix("?"): break
        case UInt8(ascii: "c"): answers += "\u{1B}[?62;22c"
        case UInt8(ascii: "H"):
            let column = max(1, numbers.count > 1 ? numbers[1] : 1)
            cursor = (min(column, columns) - 1, min(first, rows) - 1)
        case UInt8(ascii: "d"): cursor.row = min(first, rows) - 1
        case UInt8(ascii: "G"): cursor.column = min(first, columns) - 1
        case UInt8(ascii: "A"): cursor.row = max(0, cursor.row - first)
        case UInt8(ascii: "B"): cursor.row = min(rows - 1, cursor.row + first)
        case UInt8(ascii: "C"): cursor.column = min(columns - 1, cursor.column + first)
        case UInt8(ascii: "D"): cursor.column = max(0, cursor.column - first)
        case UInt8(ascii: "J"): eraseDisplay(numbers.first ?? 0)
        case UInt8(ascii: "K"): eraseLine(numbers.first ?? 0)
        case UInt8(ascii: "X"): clear(row: cursor.row, cursor.column..<(cursor.column + first))
        case UInt8(ascii: "P"):
            for _ in 0..<min(first, columns - cursor.column) {
                cells[cursor.row].remove(at: cursor.column)
                cells[cursor.row].append(" ")
            }
        case UInt8(ascii: "@"):
            for _ in 0..<min(first, columns - cursor.column) {
                cells[cursor.row].insert(" ", at: cursor.column)
                cells[cursor.row].removeLast()
            }
        case UInt8(ascii: "L"): scroll(-first, from: cursor.row)
        case UInt8(ascii: "M"): scroll(first, from: cursor.row)
        case UInt8(ascii: "S"): scroll(first)
        case UInt8(ascii: "T"): scroll(-first)
        case UInt8(ascii: "b"): for _ in 0..<first { put(last) }
        case UInt8(ascii: "r"):
            let bottom = numbers.count > 1 ? numbers[1] : rows
            margins = (first - 1)...max(first - 1, min(bottom, rows) - 1)
            cursor = (0, 0)
        default: unknown.append("CSI \(text)\(Character(Unicode.Scalar(final)))")
        }
    }

    private mutating func eraseDisplay(_ which: Int) {
        eraseLine(which)
        let range = which == 0 ? (cursor.row + 1)..<rows : which == 1 ? 0..<cursor.row : 0..<rows
        for row in range where row < rows { clear(row: row, 0..<columns) }
    }

    private mutating func eraseLine(_ which: Int) {
        let column = min(cursor.column, columns)
        let range = which == 0 ? column..<columns : which == 1 ? 0..<(column + 1) : 0..<columns
        clear(row: cursor.row, range)
    }

    private mutating func setMode(_ number: Int, _ isOn: Bool) {
        switch number {
        case 25: isCursorVisible = isOn
        case 1049:
            guard isOn != isAlternate else { return }
            isAlternate = isOn
            if isOn {
                main = cells
                cells = Self.empty(columns, rows)
            } else {
                cells = main
            }
        case 7, 12, 1: break
        case 1000, 1002, 1006, 2004:
            if isOn { modes.insert(number) } else { modes.remove(number) }
        default: unknown.append("mode \(number)")
        }
    }
}
