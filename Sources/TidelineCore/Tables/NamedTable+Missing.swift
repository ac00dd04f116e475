public import Tables

extension NamedTable {
    /// A note on the collations and functions that aren't available, and on the values that differ
    /// without them; `nil` if reading the table doesn't need any of them.
    public var readingNote: String? {
        let notes = [
            Self.note("collation", schema.missingCollations) { _ in
                "text is compared case-insensitively, so the order may differ"
            },
            columnsNeedingFunctions.isEmpty
                ? Self.note(missingFunctions: schema.functionsReadAsNull)
                : columnNote("computed with NULL"),
        ].compactMap { $0 }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// A note like ``readingNote``, on the functions that are needed only for changing the table.
    var writingNote: String? {
        let functions = schema.missingFunctions.filter { !schema.functionsReadAsNull.contains($0) }
        return Self.note("function", functions) { "changes that need \($0) are refused" }
    }

    /// A note like ``readingNote`` on the columns that comparisons leave out.
    var comparingNote: String? {
        columnsNeedingFunctions.isEmpty ? nil : columnNote("not compared")
    }

    /// The names of the columns that missing functions compute.
    var columnsNeedingFunctions: [String] {
        columns.filter(\.schema.needsMissingFunction).map(\.name)
    }

    private func columnNote(_ state: String) -> String? {
        let names = columnsNeedingFunctions.joined(separator: ", ")
        return Self.note("function", schema.functionsReadAsNull) { _ in
            "the values of \(names) are \(state)"
        }
    }

    /// Returns a note for a deletion if undoing it may need a missing function; otherwise `nil`.
    static func undoNote(_ table: TableSchema) -> String? {
        note("function", table.missingFunctions) { _ in "undo may be refused" }
    }

    /// Returns a note on functions that return `NULL` in a query; `nil` if there are none.
    public static func note(missingFunctions names: [String]) -> String? {
        note("function", names) {
            "values that depend on \($0) are computed with NULL, and rows can be left out"
        }
    }

    /// Returns a note on collations that a query needs; `nil` if there are none.
    public static func note(missingCollations names: [String]) -> String? {
        note("collation", names) { _ in
            "text is compared case-insensitively, so the results may differ"
        }
    }

    private static func note(
        _ kind: String, _ names: [String], _ result: (_ pronoun: String) -> String
    ) -> String? {
        guard let first = names.first else { return nil }
        return names.count == 1
            ? "the \(kind) \(first) is missing: \(result("it"))"
            : "the \(kind)s \(names.joined(separator: ", ")) are missing: \(result("them"))"
    }

    /// A note like ``readingNote``, for the title of a list; empty if reading needs no missing
    /// function or collation.
    var titleNote: String {
        Self.titleNote(
            collations: schema.missingCollations, functions: schema.functionsReadAsNull,
            columns: columnsNeedingFunctions)
    }

    /// Returns a note for the title of a list; empty if nothing is missing.
    ///
    /// - Parameter columns: The columns that the functions compute; empty if they aren't known.
    static func titleNote(
        collations: [String], functions: [String], columns: [String] = []
    ) -> String {
        var notes: [String] = []
        if !collations.isEmpty {
            let names = collations.joined(separator: ", ")
            notes.append("the order may differ: no collation \(names)")
        }
        if !functions.isEmpty {
            // A narrow screen shows only the start of the title, so name the columns first.
            let place = columns.isEmpty ? "" : columns.joined(separator: ", ") + " "
            let names = functions.joined(separator: ", ")
            notes.append("\(place)computed with NULL: no function \(names)")
        }
        return notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
    }

    /// The names of the columns, and of the missing collations and functions.
    public var columnsAndMissing: String {
        let missing = schema.missingCollations + schema.missingFunctions
        return columns.map(\.name).joined(separator: ", ")
            + (missing.isEmpty ? "" : " (missing: \(missing.joined(separator: ", ")))")
    }
}
