import Foundation

extension ListInfo {
    /// Returns the terms of this list's filter that also apply to the list inside a row. They
    /// select the items that made the row match.
    ///
    /// The terms about this list's own rows are left out. Returns an empty filter if such a term is
    /// part of an alternative or a negation, or if the filter can't be parsed.
    public func innerFilter(of filter: String) -> String {
        guard let innerFields else { return "" }
        var parser = FilterParser(filter, fields: filterFields)
        guard let syntax = try? parser.parse() else { return "" }
        func isAboutRowsHere(_ term: FilterTerm) -> Bool {
            FilterField.named(term.name, in: innerFields) == nil
        }
        var bytes = Array(filter.utf8)
        let parts = if case .all(let parts) = syntax { parts } else { [syntax] }
        for part in parts.reversed() where part.terms.contains(where: isAboutRowsHere) {
            guard case .term(let term) = part else { return "" }
            bytes.removeSubrange(term.range)
        }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}
