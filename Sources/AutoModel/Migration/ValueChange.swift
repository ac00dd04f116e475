/// How the values of a column become those of another type, in SQL.
struct ValueChange {
    let type: ColumnType
    /// The number of the declared column, whose property decides which values it can read.
    let column: Int

    /// The value of the new type, where it keeps all that it says.
    ///
    /// - Parameters:
    ///   - usual: The type that most values have: it is asked for first.
    ///   - empty: What stands for `NULL`.
    ///   - otherwise: What stands for a value that would lose something.
    func changed(
        _ value: String, usual: String, empty: String, otherwise: String
    ) -> String {
        let whens = cases(value).sorted { $0.stored == usual && $1.stored != usual }.map { way in
            let conditions = [way.fits, "automodel_fits(\(column), \(way.changed))"]
                .compactMap(\.self).joined(separator: " AND ")
            return "WHEN '\(way.stored)' THEN "
                + "CASE WHEN \(conditions) THEN \(way.changed) ELSE \(otherwise) END"
        }
        return "CASE typeof(\(value)) \(whens.joined(separator: " ")) "
            + "WHEN 'null' THEN \(empty) ELSE \(otherwise) END"
    }

    /// From one type of a value that is there: how it changes, and where not always, for which.
    private struct Way {
        let stored: String
        var fits: String?
        let changed: String
    }

    private func cases(_ value: String) -> [Way] {
        let cast = "CAST(\(value) AS \(type.rawValue))"
        let exactInteger = "CAST(CAST(\(value) AS INTEGER) AS TEXT) = \(value)"
        switch type {
        case .integer:
            return [
                Way(stored: "integer", changed: value),
                // Beyond these, numbers have no neighbours.
                Way(
                    stored: "real",
                    fits: "abs(\(value)) < 9.0e15 AND CAST(\(value) AS INTEGER) = \(value)",
                    changed: cast),
                Way(stored: "text", fits: exactInteger, changed: cast),
            ]
        case .real:
            return [
                Way(
                    stored: "integer", fits: "CAST(CAST(\(value) AS REAL) AS INTEGER) = \(value)",
                    changed: cast),
                Way(stored: "real", changed: value),
                Way(
                    stored: "text",
                    fits: "CAST(CAST(\(value) AS REAL) AS TEXT) = \(value) OR (\(exactInteger) "
                        + "AND abs(CAST(\(value) AS REAL)) < 9.0e15)", changed: cast),
            ]
        case .text:
            return [
                Way(stored: "integer", changed: cast),
                Way(
                    stored: "real",
                    // The usual fifteen digits do not tell all numbers apart.
                    changed: """
                        CASE WHEN CAST(CAST(\(value) AS TEXT) AS REAL) IS NOT \(value) \
                        THEN printf('%!.17g', \(value)) ELSE CAST(\(value) AS TEXT) END
                        """),
                Way(stored: "text", changed: value),
            ]
        case .blob:
            return [Way(stored: "text", changed: cast), Way(stored: "blob", changed: value)]
        }
    }
}
