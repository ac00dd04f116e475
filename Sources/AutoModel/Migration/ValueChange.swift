/// The SQL that converts the values of a column to another type.
struct ValueChange {
    let type: ColumnType
    /// The number of the declared column. The column's property decides whether a converted value
    /// is valid.
    let column: Int

    /// Returns an expression that converts a value to the new type if nothing is lost.
    ///
    /// - Parameters:
    ///   - usual: The most common stored type, which is tested first.
    ///   - empty: The expression for `NULL`.
    ///   - otherwise: The expression for a value that can't be converted without loss.
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

    /// The conversion from one stored type. `fits` is the condition under which nothing is lost;
    /// `nil` if nothing is ever lost.
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
                // Beyond this limit, `Double` can't represent every integer.
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
                    // SQLite prints 15 digits, which are too few to distinguish all `Double`
                    // values.
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
