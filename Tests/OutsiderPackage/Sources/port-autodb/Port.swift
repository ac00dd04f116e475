import AutoModel
import Foundation

// The examples of AutoDB's documentation: a dictionary in a column, batch saving, fetching by ids,
// relations, a cached query of values, and closing the file.

@AutoModel final class ClusterBucket {
    var words: [String: Int] = [:]
    @Excluded var longest = ""

    func awakeFromFetch() { longest = words.keys.max { $0.count < $1.count } ?? "" }
}

@AutoModel final class Feed {
    var name = ""
    var items = Children(of: FeedItem.self, by: \.feed)
}

@AutoModel final class FeedItem {
    @Column(.indexed) var title = ""
    var isRead = false
    var date = Date.now
    var feed = Reference<Feed>(onDelete: .cascade)
}

@AutoModel(tracksChanges: false) final class Position {
    var offset = 0.0
}

@main struct Port {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // An extension and its program can share the file, because it's closed when idle.
        var configuration = AutoDatabase.Configuration()
        configuration.closeDelay = .seconds(1)
        let database = try await AutoDatabase.open(
            at: folder + "/feeds.db", models: ClusterBucket.self, Feed.self, FeedItem.self,
            Position.self, configuration: configuration)

        // The bucket's dictionary is a column. Changing it marks the object as changed, which keeps
        // it until it is saved.
        do {
            let bucket = try await ClusterBucket.create(id: 1)
            bucket.words["swift"] = 3
            expect(bucket.hasChanges)
        }

        // One call saves everything that changed.
        let news = try Feed.create { $0.name = "News" }
        let old = Date.now.addingTimeInterval(-100 * 86_400)
        for (id, title) in ["Tides", "Boats", "Gulls"].enumerated() {
            try await FeedItem.create(id: Int64(id + 1)) {
                $0.title = title
                $0.date = id == 0 ? old : .now
                $0.feed = Reference(news)
            }
        }
        try await database.saveAllChanges()
        let bucket = try await ClusterBucket.fetch(1)
        expect(bucket?.words == ["swift": 3] && bucket?.longest == "swift")

        // Objects are fetched by id, in order, and are the same everywhere.
        let some = try await FeedItem.fetch([3, 1])
        expect(some.objects.map(\.title) == ["Gulls", "Tides"] && some[id: 1] === some[1])
        expect(try await news.items.objects().contains(some[0]))

        // The ids of unread items of the last months, from a query that is built once.
        let stale = try FeedItem.cachedQuery("stale") {
            let start = Date.now.addingTimeInterval(-60 * 86_400)
            return FeedItem.where { !$0.isRead && $0.date < start }
        }
        expect(try await stale.ids() == [1])

        // Items with their feeds, and the number of items per feed.
        let pairs = try await FeedItem.all.join(\.feed).where { $1.name == "News" }.fetch()
        expect(pairs.count == 3 && pairs[0].1 === news)
        let counts = try await FeedItem.all.join(\.feed).group { $1.name }
            .values { ($1.name, $0.id.count()) }
        expect(counts.map(\.0) == ["News"] && counts.map(\.1) == [3])

        // A class whose changes aren't observed is saved explicitly.
        let position = try await Position.create(id: 1)
        position.offset = 0.5
        try await position.save()

        // Deleting the feed deletes its items.
        try await news.delete()
        let left = try await FeedItem.all.count()
        expect(left == 0)

        // Before the program is suspended, it closes the file.
        try await database.release()
        try await database.resume()
        expect(try await Position.fetch(1)?.offset == 0.5)
        try database.close()
        print("\(counts[0].1) items in \(counts[0].0)")
    }
}

/// Ends the program if the condition doesn't hold.
private func expect(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("the condition in line \(line) doesn't hold") }
}
