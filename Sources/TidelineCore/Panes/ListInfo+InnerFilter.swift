import Foundation

extension ListInfo {
    /// What of a filter of this list holds for the list inside a row, so that a row opens with what
    /// it was shown for: all of it but the terms that are about rows here. Nothing where such terms
    /// stand in alternatives or denials, and where the text is no filter.
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
