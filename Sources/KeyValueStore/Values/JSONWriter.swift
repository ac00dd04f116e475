import Foundation

/// Writes values as JSON, in the forms that ``PropertyList/json(_:)`` describes.
struct JSONWriter {
    private let layout: PropertyList.JSONLayout
    private var output: [UInt8] = []
    private var depth = 0

    init(_ layout: PropertyList.JSONLayout) { self.layout = layout }

    var text: String { String(decoding: output, as: UTF8.self) }

    mutating func append(_ value: PropertyList) throws(PropertyListError) {
        switch value {
        case .string(let text): append(string: text)
        case .integer(let number): append(raw: String(number))
        case .unsigned(let number): append(raw: String(number))
        case .real(let number): append(real: number)
        case .boolean(let truth): append(raw: truth ? "true" : "false")
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            if let text = InstantText.text(secondsSince2001: seconds) {
                try append(form: "$date", .string(text))
            } else {
                try append(form: "$date", .real(seconds))
            }
        case .data(let data):
            try append(form: "$data", .string(data.base64EncodedString()))
        case .array(let elements):
            try enter()
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                separate(first: index == 0)
                try append(element)
            }
            leave(empty: elements.isEmpty)
            output.append(UInt8(ascii: "]"))
        case .dictionary(let entries):
            if entries.count == 1, let key = entries.keys.first, JSONReader.forms.contains(key) {
                append(raw: "{\"$dictionary\":")
                if layout == .indented { append(raw: " ") }
                try append(object: entries)
                append(raw: "}")
            } else {
                try append(object: entries)
            }
        }
    }

    private mutating func append(
        object entries: [String: PropertyList]
    ) throws(PropertyListError) {
        try enter()
        output.append(UInt8(ascii: "{"))
        let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, entry) in sorted.enumerated() {
            separate(first: index == 0)
            append(string: entry.key)
            append(raw: layout == .indented ? ": " : ":")
            try append(entry.value)
        }
        leave(empty: entries.isEmpty)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func append(
        form name: String, _ value: PropertyList
    ) throws(PropertyListError) {
        append(raw: layout == .indented ? "{\"\(name)\": " : "{\"\(name)\":")
        try append(value)
        append(raw: "}")
    }

    private mutating func append(real number: Double) {
        if number.isFinite {
            append(raw: number.description)
            return
        }
        let name =
            if number.isInfinite {
                number < 0 ? "-inf" : "inf"
            } else if number.bitPattern == Double.nan.bitPattern {
                "nan"
            } else {
                "nan:" + String(number.bitPattern, radix: 16)
            }
        append(raw: layout == .indented ? "{\"$real\": \"\(name)\"}" : "{\"$real\":\"\(name)\"}")
    }

    mutating func append(string text: String) {
        output.append(UInt8(ascii: "\""))
        var isLeadOfC1 = false
        for byte in text.utf8 {
            // U+0080 to U+009F are C2 80 to C2 9F; some terminals obey them.
            if isLeadOfC1 {
                isLeadOfC1 = false
                if byte < 0xA0 {
                    append(escape: byte)
                    continue
                }
                output.append(0xC2)
            }
            switch byte {
            case 0xC2: isLeadOfC1 = true
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0x0A: append(raw: "\\n")
            case 0x0D: append(raw: "\\r")
            case 0x09: append(raw: "\\t")
            case 0..<0x20, 0x7F: append(escape: byte)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private mutating func append(escape byte: UInt8) {
        let digits = String(byte, radix: 16)
        append(raw: "\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
    }

    private mutating func append(raw text: String) { output.append(contentsOf: text.utf8) }

    private mutating func enter() throws(PropertyListError) {
        depth += 1
        guard depth <= PropertyList.depthLimit else {
            throw PropertyListError(
                .tooDeep, "nested deeper than \(PropertyList.depthLimit) levels")
        }
    }

    private mutating func leave(empty: Bool) {
        depth -= 1
        if !empty { breakLine() }
    }

    private mutating func separate(first: Bool) {
        if !first { output.append(UInt8(ascii: ",")) }
        breakLine()
    }

    private mutating func breakLine() {
        guard layout == .indented else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}
