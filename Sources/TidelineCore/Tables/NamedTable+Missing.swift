import Foundation
public import Tables

extension NamedTable {
    /// A note on the collations and functions that aren't available, and on the values that differ
    /// without them; `nil` if reading the table needs none.
    public var readingNote: String? {
        let notes = [
            Self.note(
                "collation", schema.missingCollations,
                "text is ordered without case instead, and the order may differ"),
            schema.kind == .view
                ? Self.note(missingFunctions: schema.functionsReadAsNull)
                : Self.note("function", schema.functionsReadAsNull, Self.readAsNull),
        ].compactMap { $0 }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// The same as ``readingNote``, for the functions that only changes of the table need.
    var writingNote: String? {
        let functions = schema.missingFunctions.filter { !schema.functionsReadAsNull.contains($0) }
        return Self.note("function", functions, "changes that need it are refused")
    }

    /// Returns a note on functions that return `NULL` in a query; `nil` if there are none.
    public static func note(missingFunctions names: [String]) -> String? {
        note("function", names, "\(readAsNull), and rows can be left out")
    }

    private static let readAsNull = "values that depend on it are NULL"

    private static func note(_ kind: String, _ names: [String], _ result: String) -> String? {
        guard let first = names.first else { return nil }
        return names.count == 1
            ? "the \(kind) \(first) is missing: \(result)"
            : "the \(kind)s \(names.joined(separator: ", ")) are missing: "
                + result.replacingOccurrences(of: " it ", with: " them ")
    }

    /// The same as ``readingNote``, for the title of a list; empty if reading needs none.
    var titleNote: String {
        var notes: [String] = []
        if !schema.missingCollations.isEmpty {
            let names = schema.missingCollations.joined(separator: ", ")
            notes.append("without the collation \(names): order may differ")
        }
        if !schema.functionsReadAsNull.isEmpty {
            notes.append(Self.titleNote(missingFunctions: schema.functionsReadAsNull))
        }
        return notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
    }

    static func titleNote(missingFunctions names: [String]) -> String {
        "without the function \(names.joined(separator: ", ")): NULL instead"
    }

    /// The names of the columns, and of the missing collations and functions.
    public var columnsAndMissing: String {
        let missing = schema.missingCollations + schema.missingFunctions
        return columns.map(\.name).joined(separator: ", ")
            + (missing.isEmpty ? "" : " (missing: \(missing.joined(separator: ", ")))")
    }
}
