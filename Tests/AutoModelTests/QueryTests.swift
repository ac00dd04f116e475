import AutoModel
import Foundation
import Testing

@Suite struct QueryTests {
    private func filled(_ body: () throws -> Void) throws {
        try withOpened(Artist.self, Album.self) { _ in
            let names = ["Abbey", "Alice", "Bill", "Ängla", "abc", "A%b", "", "Zoot"]
            for (index, name) in names.enumerated() {
                _ = try Artist.create(id: Int64(index + 1)) {
                    $0.name = name
                    $0.formed = index % 2 == 0 ? Date(timeIntervalSince1970: Double(index)) : nil
                    $0.genre = index < 3 ? .jazz : .soul
                    $0.mood = index == 1 ? [.calm, .loud] : .calm
                }
            }
            try Artist.saveChanges()
            try body()
        }
    }

    private func expect(
        _ ids: [Int64], sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Artist.Columns) -> Condition
    ) throws {
        let found = try Artist.where(condition).ids()
        #expect(found == ids, sourceLocation: sourceLocation)
    }

    private func expect(
        count: Int, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Artist.Columns) -> Condition
    ) throws {
        let found = try Artist.where(condition).count()
        #expect(found == count, sourceLocation: sourceLocation)
    }

    @Test func predicatesCompareAndCombine() throws {
        try filled {
            let date = Date(timeIntervalSince1970: 3)
            let early = try Artist.where { $0.formed < date && $0.name.hasPrefix("A") }.fetch()
            #expect(early.map(\.name) == ["Abbey"])
            try expect(count: 4) { $0.formed == nil }
            try expect(count: 4) { $0.formed != nil }
            try expect(count: 6) { !($0.formed < date) }
            try expect(count: 4) { $0.genre == .jazz || $0.name == "" }
            try expect([2]) { $0.mood.contains(.loud) }
            try expect([1, 3]) { $0.id.isIn([1, 3, 99]) }
            try expect([1, 3]) { [1, 3, 99].contains($0.id) }
            try expect([1]) { $0.name.lowercased() == "abbey" }
            try expect(count: 8) { $0.other == nil && $0.home == Place() }
        }
    }

    @Test func textConditionsAreLiteral() throws {
        try filled {
            try expect([1, 2, 6]) { $0.name.hasPrefix("A") }
            try expect([6]) { $0.name.hasPrefix("A%") }
            try expect([4]) { $0.name.hasPrefix("Ä") }
            try expect(count: 8) { $0.name.hasPrefix("") }
            try expect([3]) { $0.name.hasSuffix("ll") }
            try expect(count: 8) { $0.name.hasSuffix("") }
            try expect([6]) { $0.name.contains("%") }
            try expect(count: 0) { $0.name == "x'; DROP TABLE Artist; --" }
        }
    }

    @Test func resultsAreInTheOrderOfTheQuery() throws {
        try filled {
            let found = try Artist.all.order { [$0.genre.descending, $0.name.ascending] }
                .limit(3, offset: 1).fetch()
            #expect(found.map(\.name) == ["A%b", "Zoot", "abc"])
            #expect(found.byID.count == 3 && found[id: 8]?.name == "Zoot")
            #expect(try Artist.fetch([5, 99, 1, 5]).map(\.id) == [5, 1, 5])
        }
    }

    @Test func queryReturnsValuesGroupsAndCounts() throws {
        try filled {
            #expect(try Artist.all.value { $0.name.max() } == "Ängla")
            let none = try Artist.where { $0.name == "none" }.value { $0.id.sum() }
            #expect(none == nil)
            #expect(try Artist.all.limit(2).count() == 2)
            #expect(try Artist.all.limit(2).value { $0.id.sum() } == 3)
            let groups = try Artist.all.groups { $0.genre }
            #expect(groups.map(\.value) == [.soul, .jazz] && groups.map(\.count) == [5, 3])
            let counts = try Artist.where { $0.id < 3 }.values { $0.name.count }
            #expect(counts == [5, 5])
        }
    }

    @Test func sqlTakesArgumentsAndReportsErrors() throws {
        try filled {
            let found = try Artist.sql("WHERE length(name) > ? ORDER BY name DESC", 4).fetch()
            #expect(found.map(\.name) == ["Ängla", "Alice", "Abbey"])
            let missing = #expect(throws: AutoModelError.self) {
                try Artist.sql("WHERE name = ?").fetch()
            }
            #expect(missing?.code == .sql)
            let wrong = #expect(throws: AutoModelError.self) { try Artist.sql("WHER").fetch() }
            #expect(wrong?.code == .sql)
            try expect(count: 3) { _ in Condition(sql: "name GLOB ?", arguments: ["A*"]) }
        }
    }

    @Test func cachedQueryIsMadeOnce() throws {
        try filled {
            var made = 0
            for _ in 0..<3 {
                let query = try Artist.cachedQuery("jazz") {
                    made += 1
                    return Artist.where { $0.genre == .jazz }
                }
                #expect(try query.count() == 3)
            }
            #expect(made == 1)
        }
    }

    @Test func deletingAQueryDeletesItsRows() throws {
        try filled {
            let held = try #require(try Artist.fetch(1))
            let deleted = try Artist.where { $0.genre == .jazz }.delete()
            #expect(deleted == 3)
            #expect(held.isDeleted)
            #expect(try Artist.all.count() == 5)
        }
    }
}
