public import Replication

/// A place where several values differ: a member of nested dictionaries at any depth, or the whole
/// values.
public struct DifferingPlace: Hashable, Sendable {
    /// The names of the nested members, the outermost first; empty for the whole value.
    public let path: [Name]
    /// The content of each value at this place, in order; `nil` for none.
    public let values: [PropertyList?]

    /// Returns the places where values differ, in byte order of their paths. Returns a single
    /// place, the whole value, if not all of them are dictionaries.
    ///
    /// - Parameter limit: The maximum number of places.
    /// - Complexity: O(*n*) in the size of the values.
    public static func all(in values: [PropertyList?], limit: Int = 1_000) -> [DifferingPlace] {
        var places: [DifferingPlace] = []
        find(values, at: [], &places, limit)
        return places
    }

    private static func find(
        _ values: [PropertyList?], at path: [Name], _ places: inout [DifferingPlace], _ limit: Int
    ) {
        guard let first = values.first, !values.allSatisfy({ $0 == first }), places.count < limit
        else { return }
        var dictionaries: [[Name: PropertyList]] = []
        for value in values {
            guard case .dictionary(let members)? = value else {
                places.append(DifferingPlace(path: path, values: values))
                return
            }
            dictionaries.append(members)
        }
        for name in Set(dictionaries.flatMap(\.keys)).sorted() {
            find(dictionaries.map { $0[name] }, at: path + [name], &places, limit)
        }
    }
}
