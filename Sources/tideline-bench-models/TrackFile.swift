import AutoModel
import BenchSupport
import Foundation
import GRDB

/// A database of tracks, for either implementation.
struct TrackFile {
    let folder: BenchFolder
    var path: String { folder.url.appending(path: "tracks.db").path }

    init() throws { folder = try BenchFolder() }

    func remove() { folder.remove() }

    func models() throws -> AutoDatabase { try AutoDatabase.open(at: path, models: Track.self) }

    /// Opens a plain database with AutoModel's settings.
    func plain() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Fills both tables, using SQL.
    func fill(_ count: Int) throws {
        try models().close()
        let queue = try plain()
        try queue.write { db in
            try db.execute(sql: PlainTrack.create)
            for table in ["Track", "PlainTrack"] {
                try db.execute(
                    sql: """
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                        INSERT INTO \(table)
                            (id, title, artist, year, plays, rating, isLoved, added, comment)
                        SELECT i, 'The title of track ' || i, 'Artist ' || (i % 1000),
                            1950 + i % 75, i % 9, (i % 50) / 10.0, i % 7 = 0, 1700000000.0 + i,
                            CASE WHEN i % 3 = 0 THEN 'A comment about the song, ' || i END
                        FROM n
                        """)
            }
        }
        try queue.close()
    }
}
