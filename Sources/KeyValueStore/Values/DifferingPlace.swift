public import Replication

/// A place inside several values where they are not all the same: a member of the dictionaries that
/// all of them are there, on any level.
public struct DifferingPlace: Hashable, Sendable {
    /// The names of the members that lead to it, the outermost first; empty for the whole value.
    public let path: [Name]
    /// What each value has there, in their order; `nil`: nothing.
    public let values: [PropertyList?]

    /// The places where values differ, in byte order of their paths; none where all are the same.
    /// One, the whole value, where not all of them are dictionaries.
    ///
    /// - Parameter limit: The most places that are found.
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
