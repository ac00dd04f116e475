import Foundation
import Testing

@testable import Automerge

/// Long runs of concurrent edits at one place.
@Suite struct ConcurrentRunsTests {
    /// Three writers with `count` edits each. Their operation counters start `distance` apart.
    private func writers(
        _ count: Int, apart distance: Int, _ edit: (Document, ObjId, Int) throws -> Void
    ) throws -> [Document] {
        let base = Document()
        let list = try base.putObject(obj: .ROOT, key: "list", ty: .List)
        return try (0..<3).map { number in
            let writer = base.fork()
            writer.actor = try #require(ActorId(data: Data([UInt8(3 - number), 7])))
            for noise in 0..<number * distance {
                try writer.put(obj: .ROOT, key: "noise", value: .Int(Int64(noise)))
            }
            for place in 0..<count { try edit(writer, list, number * 1_000_000 + place) }
            return writer
        }
    }

    private static let orders = [
        [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ]

    @Test(arguments: [0, 1, 150, 2_000])
    func insertionsAtTheHeadAreOrderedByIdentifier(apart distance: Int) throws {
        let count = 700
        let writers = try writers(count, apart: distance) { writer, list, number in
            try writer.insert(obj: list, index: 0, value: .Int(Int64(number)))
        }
        // Each counter starts after the writer's noise. For equal counters, the greater actor comes
        // first.
        let expected = (0..<3 * count).map { index -> (Int, Int, Int64) in
            let (writer, place) = (index / count, index % count)
            return (writer * distance + place, 3 - writer, Int64(writer * 1_000_000 + place))
        }.sorted { ($0.0, $0.1) > ($1.0, $1.1) }.map { Value.Scalar(.Int($0.2)) }
        for order in Self.orders {
            let merged = Document()
            for number in order { try merged.merge(other: writers[number]) }
            guard case .Object(let list, _)? = try merged.get(obj: .ROOT, key: "list") else {
                Issue.record("the list is missing")
                return
            }
            #expect(try merged.values(obj: list) == expected, "order \(order)")
            let again = try Document(merged.save())
            #expect(try again.values(obj: list) == expected, "order \(order)")
        }
    }

    @Test(arguments: [0, 1, 150, 2_000])
    func writesOfOneKeyAreSavedIdenticallyWhateverTheirOrder(apart distance: Int) throws {
        let writers = try writers(700, apart: distance) { writer, _, number in
            try writer.put(obj: .ROOT, key: "key", value: .Int(Int64(number)))
        }
        let lasts = Set([0, 1, 2].map { Value.Scalar(.Int(Int64($0 * 1_000_000 + 699))) })
        var operations: Set<[[UInt64: [UInt8]]]> = []
        for order in Self.orders {
            let merged = Document()
            for number in order { try merged.merge(other: writers[number]) }
            #expect(try merged.getAll(obj: .ROOT, key: "key") == lasts, "order \(order)")
            let content = try NaiveChangeReader.expand(merged.save()).content
            operations.insert([content.columns[1]])
            #expect(
                try Document(merged.save()).getAll(obj: .ROOT, key: "key") == lasts,
                "order \(order)")
        }
        #expect(operations.count == 1)
    }
}
