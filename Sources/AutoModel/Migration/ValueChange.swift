/// How the values of a column become those of another type, in SQL.
struct ValueChange {
    let type: ColumnType

    /// Whether a value that is not `NULL` keeps all that it says.
    func fits(_ value: String) -> String {
        let exactInteger = "CAST(CAST(\(value) AS INTEGER) AS TEXT) = \(value)"
        let cases: [(String, String)] =
            switch type {
            case .integer:
                [
                    ("integer", "1"),
                    // Beyond these, numbers have no neighbours.
                    (
                        "real",
                        "abs(\(value)) < 9.0e15 AND CAST(\(value) AS INTEGER) = \(value)"
                    ),
                    ("text", exactInteger),
                ]
            case .real:
                [
                    ("integer", "CAST(CAST(\(value) AS REAL) AS INTEGER) = \(value)"),
                    ("real", "1"),
                    (
                        "text",
                        "CAST(CAST(\(value) AS REAL) AS TEXT) = \(value) OR (\(exactInteger) "
                            + "AND abs(CAST(\(value) AS REAL)) < 9.0e15)"
                    ),
                ]
            case .text: [("integer", "1"), ("real", "1"), ("text", "1")]
            case .blob: [("text", "1"), ("blob", "1")]
            }
        let whens = cases.map { "WHEN '\($0.0)' THEN \($0.1)" }.joined(separator: " ")
        return "CASE typeof(\(value)) \(whens) ELSE 0 END"
    }

    /// The value of the new type, where it fits.
    func changed(_ value: String) -> String {
        guard type == .text else { return "CAST(\(value) AS \(type.rawValue))" }
        // The usual fifteen digits do not tell all numbers apart.
        return """
            CASE WHEN typeof(\(value)) = 'real' AND CAST(CAST(\(value) AS TEXT) AS REAL) \
            IS NOT \(value) THEN printf('%!.17g', \(value)) ELSE CAST(\(value) AS TEXT) END
            """
    }
}
