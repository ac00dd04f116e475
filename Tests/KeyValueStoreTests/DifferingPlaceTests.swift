import Replication
import TestSupport
import Testing

@testable import KeyValueStore

/// Differences of values, member by member.
@Suite struct DifferingPlaceTests {
    @Test func onlyMembersThatDifferArePlaces() {
        let places = DifferingPlace.all(in: [
            ["a": 1, "b": 1, "inner": ["x": 1, "y": 1]],
            ["a": 1, "b": 2, "inner": ["x": 1, "y": 2, "z": 3]],
        ])
        #expect(places.map(\.path) == [["b"], ["inner", "y"], ["inner", "z"]])
        #expect(places.map(\.values) == [[1, 2], [1, 2], [nil, 3]])
    }

    @Test func nonDictionariesDifferInOnePlace() {
        #expect(DifferingPlace.all(in: [["a": 1], 1]).map(\.path) == [[]])
        #expect(DifferingPlace.all(in: [["a": 1], nil]).map(\.path) == [[]])
        #expect(DifferingPlace.all(in: [[1, 2], [1, 3]]).map(\.path) == [[]])
        // A member is a single place if it is not a dictionary on all sides.
        #expect(DifferingPlace.all(in: [["a": ["x": 1]], ["a": 2]]).map(\.path) == [["a"]])
    }

    @Test func equalValuesHaveNoDifferingPlaces() {
        #expect(DifferingPlace.all(in: [["a": 1], ["a": 1], ["a": 1]]).isEmpty)
        #expect(DifferingPlace.all(in: [nil, nil]).isEmpty)
        #expect(DifferingPlace.all(in: []).isEmpty)
    }

    @Test func canonicallyEqualNamesAreDifferentPlaces() {
        let places = DifferingPlace.all(in: [["\u{E9}": 1], ["e\u{301}": 1]])
        #expect(places.map(\.path) == [["e\u{301}"], ["\u{E9}"]])
    }

    @Test func differingPlacesAreLimited() {
        let one = Dictionary(uniqueKeysWithValues: (0..<5_000).map { (Name("\($0)"), 1) })
        let places = DifferingPlace.all(
            in: [.dictionary(one.mapValues { .integer(Int64($0)) }), .dictionary([:])])
        #expect(places.count == 1_000)
    }

    /// Random values, whose places are copied one by one from one value to the other.
    @Test(arguments: 0..<100)
    func applyingEveryDifferingPlaceProducesTheValue(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func value(_ depth: Int) -> PropertyList {
            guard depth > 0, Bool.random(using: &random) else {
                return .integer(.random(in: 0..<2, using: &random))
            }
            return .dictionary(
                Dictionary(
                    ["a", "b", "c"].filter { _ in Bool.random(using: &random) }
                        .map { ($0, value(depth - 1)) }, uniquingKeysWith: { $1 }))
        }
        let (one, other) = (value(4), value(4))
        var result: PropertyList? = one
        for place in DifferingPlace.all(in: [one, other]) {
            result = Self.put(place.values[1], at: place.path[...], of: result)
        }
        #expect(result == other)
    }

    private static func put(
        _ part: PropertyList?, at path: ArraySlice<Name>, of value: PropertyList?
    ) -> PropertyList? {
        guard let name = path.first else { return part }
        guard case .dictionary(var members)? = value else { return value }
        members[name] = put(part, at: path.dropFirst(), of: members[name])
        return .dictionary(members)
    }
}
