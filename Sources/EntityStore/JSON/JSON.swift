/// A JSON text as it was written: numbers by their digits, members in order with repetitions.
indirect enum JSON {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member {
        let name: String
        let value: JSON
    }

    var kindName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// JSON text that does not parse, and where.
struct JSONSyntaxError: Error, CustomStringConvertible {
    let message: String
    /// Both from one.
    let line: Int
    let column: Int

    var description: String { "line \(line), column \(column): \(message)" }
}
