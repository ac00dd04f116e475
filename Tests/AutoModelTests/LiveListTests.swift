import AutoModel
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct LiveListTests {
    @Test func changesNameInsertedChangedMovedAndRemovedRows() async throws {
        try await withDatabase(V1.Item.self) { database in
            let items = try ["a", "b", "c", "d"].map { name in
                try V1.Item.create { $0.name = name }
            }
            try await database.saveAllChanges()
            var list = try V1.Item.all.order { [$0.name.ascending] }.live().makeAsyncIterator()
            let first = try #require(try await list.next())
            #expect(first.list.map(\.name) == ["a", "b", "c", "d"])
            #expect(first.inserted == [0, 1, 2, 3] && first.list[2] === items[2])

            try await V1.Item.create { $0.name = "bb" }.save()
            let inserted = try #require(try await list.next())
            #expect(inserted.list.map(\.name) == ["a", "b", "bb", "c", "d"])
            #expect(inserted.inserted == [2] && inserted.changed.isEmpty && inserted.moved.isEmpty)

            items[2].size = 7
            try await items[2].save()
            let changed = try #require(try await list.next())
            #expect(changed.changed == [3] && changed.moved.isEmpty && changed.removed.isEmpty)

            items[0].name = "z"
            try await items[0].save()
            let moved = try #require(try await list.next())
            #expect(moved.list.map(\.name) == ["b", "bb", "c", "d", "z"])
            #expect(moved.moved.map(\.from) == [0] && moved.moved.map(\.to) == [4])
            #expect(moved.changed == [4])

            try await items[1].delete()
            let removed = try #require(try await list.next())
            #expect(removed.list.map(\.name) == ["bb", "c", "d", "z"] && removed.removed == [0])
            #expect(removed.list.count == 4 && first.list.count == 4 && first.list[1] === items[1])
        }
    }

    @Test func closingTheDatabaseEndsLists() async throws {
        try await withDatabase(V1.Item.self) { database in
            try await V1.Item.create { $0.name = "a" }.save()
            var list = try V1.Item.all.live().makeAsyncIterator()
            var other = try V1.Item.all.live().makeAsyncIterator()
            var unread = try V1.Item.all.live().makeAsyncIterator()
            let changes = try V1.Item.changes()
            #expect(try await list.next()?.list.count == 1)
            #expect(try await other.next()?.list.count == 1)
            // One subscriber waits, one hasn't read its change yet, and one never asked.
            let received = Mutex<[Int?]>([])
            let waiting = Task {
                var list = try V1.Item.all.live().makeAsyncIterator()
                for _ in 0..<2 {
                    let count = try await list.next()?.list.count
                    received.withLock { $0.append(count) }
                }
                return try await list.next() == nil
            }
            try await wait { received.withLock { $0.count } == 1 }
            try await V1.Item.create { $0.name = "b" }.save()
            #expect(try await list.next()?.list.count == 2)
            try await wait { received.withLock { $0.count } == 2 }
            try { try database.close() }()
            #expect(try await waiting.value)
            #expect(received.withLock { $0 } == [1, 2])
            #expect(try await list.next() == nil)
            #expect(try await other.next() == nil)
            #expect(try await unread.next() == nil)
            #expect(try await list.next() == nil)
            var count = 0
            for await _ in changes { count += 1 }
            #expect(count == 1)
        }
    }

    /// Releasing the files for a while doesn't end lists.
    @Test func listsContinueAfterResume() async throws {
        try await withDatabase(V1.Item.self) { database in
            var list = try V1.Item.all.live().makeAsyncIterator()
            #expect(try await list.next()?.list.isEmpty == true)
            try { try database.release() }()
            try { try database.resume() }()
            try await V1.Item.create { $0.name = "a" }.save()
            #expect(try await list.next()?.list.count == 1)
        }
    }

    @Test func changedValuesMoveRowsInAndOut() async throws {
        try await withDatabase(V1.Item.self) { _ in
            let inside = try V1.Item.create { $0.size = 5 }
            let outside = try V1.Item.create { $0.size = 1 }
            try await V1.Item.save([inside, outside])
            var list = try V1.Item.where { $0.size > 3 }.live().makeAsyncIterator()
            #expect(try await list.next()?.list.map(\.size) == [5])
            // Changes of other rows aren't reported.
            outside.size = 2
            try await outside.save()
            inside.size = 6
            try await inside.save()
            let changed = try #require(try await list.next())
            #expect(changed.changed == [0] && changed.inserted.isEmpty)
            inside.size = 0
            outside.size = 9
            try await V1.Item.save([inside, outside])
            let both = try #require(try await list.next())
            #expect(both.list.map(\.size) == [9] && both.removed == [0] && both.inserted == [0])
        }
    }

    @Test func queriesWithLimitOrSQLAreLive() async throws {
        try await withDatabase(V1.Item.self) { database in
            for size in 1...5 { _ = try V1.Item.create { $0.size = size } }
            try await database.saveAllChanges()
            var top = try V1.Item.all.order { [$0.size.descending] }.limit(2).live()
                .makeAsyncIterator()
            var odd = try V1.Item.sql("WHERE size % 2 = 1 ORDER BY size").live()
                .makeAsyncIterator()
            #expect(try await top.next()?.list.map(\.size) == [5, 4])
            #expect(try await odd.next()?.list.map(\.size) == [1, 3, 5])
            try await V1.Item.create { $0.size = 7 }.save()
            let change = try #require(try await top.next())
            #expect(change.list.map(\.size) == [7, 5])
            #expect(change.inserted == [0] && change.removed == [1] && change.moved.isEmpty)
            #expect(try await odd.next()?.list.map(\.size) == [1, 3, 5, 7])
        }
    }

    @Test func listsOfValuesAreLive() async throws {
        try await withDatabase(Visit.self) { database in
            let saved = try await Visit.save([
                Visit(place: "Rome", stars: 2), Visit(place: "Bonn", stars: 3),
            ])
            var list = try Visit.all.order { [$0.place.ascending] }.live().makeAsyncIterator()
            #expect(try await list.next()?.list.map(\.place) == ["Bonn", "Rome"])
            var rome = saved[0]
            rome.place = "Aix"
            try await Visit.save([rome])
            let moved = try #require(try await list.next())
            #expect(moved.list.map(\.place) == ["Aix", "Bonn"] && moved.moved.count == 1)
            // SQL statements name no rows, so the values are compared.
            try await database.execute("UPDATE Visit SET stars = 5 WHERE place = 'Bonn'")
            let changed = try #require(try await list.next())
            #expect(changed.changed == [1] && changed.list[1].stars == 5)
            try await Visit.delete([saved[1].id])
            #expect(try await list.next()?.removed == [1])
        }
    }

    @Test func listsFollowOtherProcesses() async throws {
        try await withDatabase(V1.Item.self) { database in
            let item = try V1.Item.create { $0.name = "b" }
            try await item.save()
            var list = try V1.Item.all.order { [$0.name.ascending] }.live().makeAsyncIterator()
            #expect(try await list.next()?.list.count == 1)
            let other = try DatabaseQueue(path: database.path)
            try await other.write { db in
                try db.execute(sql: "UPDATE Item SET size = 4")
                try db.execute(sql: "INSERT INTO Item (id, name) VALUES (1, 'a')")
            }
            // The commit may be observed before the list reads.
            #expect(try await V1.Item.all.fetch().count == 2)
            let change = try #require(try await list.next())
            #expect(change.list.map(\.name) == ["a", "b"])
            #expect(change.inserted == [0] && change.changed == [1] && item.size == 4)
            try await other.write { try $0.execute(sql: "DELETE FROM Item WHERE id <> 1") }
            #expect(try await list.next()?.removed == [1])
            try await close(other)
        }
    }

    @Test func cancelingTheTaskEndsTheList() async throws {
        try await withDatabase(V1.Item.self) { _ in
            let list = try V1.Item.all.live()
            let task = Task {
                var count = 0
                for try await _ in list { count += 1 }
                return count
            }
            task.cancel()
            #expect(try await task.value <= 1)
        }
    }

    /// Each change transforms the former list into the current one.
    @Test(arguments: seedHands(6))
    func changesTransformTheFormerList(seeds: [UInt64]) async throws {
        for seed in seeds { try await play(seed) }
    }

    private func play(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await withDatabase(V1.Item.self) { database in
            for _ in 0..<Int.random(in: 0...1_500, using: &random) {
                _ = try V1.Item.create { $0.name = "\(Int.random(in: 0..<50, using: &random))" }
            }
            try await database.saveAllChanges()
            let query = V1.Item.where { $0.size < 5 }
                .order { [$0.name.descending, $0.size.ascending] }
            var list = try query.live().makeAsyncIterator()
            var before = try #require(try await list.next()).list.map(\.id)
            for _ in 0..<25 {
                let all = try await V1.Item.all.fetch().objects
                let few = Int.random(in: 0..<4, using: &random) > 0
                let count = Int.random(in: 1...(few ? 5 : 200), using: &random)
                var deleted: [V1.Item] = []
                for _ in 0..<count {
                    let item = all.randomElement(using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: _ = try V1.Item.create { $0.name = "\(count)" }
                    case 1: item?.name = "\(Int.random(in: 0..<50, using: &random))"
                    case 2: item?.size = Int.random(in: 0..<8, using: &random)
                    default: if let item { deleted.append(item) }
                    }
                }
                let gone = deleted
                try await database.transaction {
                    try V1.Item.delete(gone)
                    try V1.Item.saveChanges()
                }
                // Every step changes a row of the list.
                try await V1.Item.create { $0.name = "always" }.save()
                guard let change = try await list.next() else { break }
                let now = change.list.map(\.id)
                let ids = try await query.ids()
                #expect(now == ids)
                let (from, to) = (Set(change.moved.map(\.from)), Set(change.moved.map(\.to)))
                let (removed, inserted) = (Set(change.removed), Set(change.inserted))
                let kept = before.indices.filter { !from.contains($0) && !removed.contains($0) }
                let stays = now.indices.filter { !to.contains($0) && !inserted.contains($0) }
                #expect(kept.map { before[$0] } == stays.map { now[$0] })
                for move in change.moved { #expect(before[move.from] == now[move.to]) }
                #expect(removed.isDisjoint(with: from) && inserted.isDisjoint(with: to))
                before = now
            }
        }
    }
}

private func close(_ queue: DatabaseQueue) async throws { try { try queue.close() }() }
