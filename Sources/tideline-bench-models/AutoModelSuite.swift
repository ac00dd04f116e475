import AutoModel
import BenchSupport
import GRDB

/// 100,000 objects, compared with the same number of GRDB records.
struct AutoModelSuite: Suite {
    static let name = "automodel"
    static let abstract = "100,000 objects: inserted, fetched, changed, saved, followed; memory."

    private static let count = 100_000
    private static let limit = 1.3

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        try inserting(options, &report)
        let file = try TrackFile()
        defer { file.remove() }
        try file.fill(Self.count)
        try fetching(file, options, &report)
        try changing(file, options, &report)
        try savingFew(file, options, &report)
        try await following(file, options, &report)
        report.add(
            "memory of 100,000 objects", try probeApart("objects", options) / 1e6, "MB",
            baseline: try probeApart("records", options) / 1e6, limit: 1.5)
    }

    private func inserting(_ options: SuiteOptions, _ report: inout Report) throws {
        let ids = (0..<Self.count).map { _ in Int64.random(in: 1 ... .max) }
        let own = try Stopwatch.median(runs: options.runs) {
            let file = try TrackFile()
            defer { file.remove() }
            let database = try file.models()
            var tracks: [Track] = []
            for number in ids.indices {
                tracks.append(try Track.create { TrackValues(number: number).fill($0) })
            }
            try database.saveAllChanges()
            try database.close()
            return tracks
        }
        let plain = try Stopwatch.median(runs: options.runs) {
            let file = try TrackFile()
            defer { file.remove() }
            let queue = try file.plain()
            try queue.write { try $0.execute(sql: PlainTrack.create) }
            var tracks: [PlainTrack] = []
            for (number, id) in ids.enumerated() {
                var track = PlainTrack(id: id)
                TrackValues(number: number).fill(&track)
                tracks.append(track)
            }
            try queue.write { db in for track in tracks { try track.insert(db) } }
            try queue.close()
            return tracks
        }
        report.add("insert", own.time, baseline: plain.time, limit: Self.limit)
    }

    private func fetching(
        _ file: TrackFile, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let queue = try file.plain()
        let plain = try Stopwatch.median(runs: options.runs) {
            try queue.read { try PlainTrack.fetchAll($0) }
        }
        try queue.close()
        let database = try file.models()
        defer { try? database.close() }
        let own = try Stopwatch.median(runs: options.runs) { try Track.all.fetch() }
        let held = try Track.all.fetch()
        guard held.count == Self.count else { throw BenchError("not all were fetched") }
        report.add("fetch", own.time, baseline: plain.time, limit: Self.limit)
        let cached = try Stopwatch.median(runs: options.runs) { try Track.all.fetch() }
        report.add("fetch of objects in use", cached.time, baseline: plain.time, limit: 0.5)
        let ids = held.map(\.id)
        let byID = try Stopwatch.median(runs: options.runs) { try Track.fetch(ids) }
        report.add(
            "fetch of objects in use by identifier", byID.time, baseline: plain.time, limit: 0.5)
        withExtendedLifetime(held) {}
    }

    /// Changes two columns of each object.
    private func changing(
        _ file: TrackFile, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let queue = try file.plain()
        var records = try queue.read { try PlainTrack.fetchAll($0) }
        let plain = try Stopwatch.median(runs: options.runs) {
            try queue.write { db in
                for index in records.indices {
                    try records[index].updateChanges(db) {
                        $0.plays += 1
                        $0.title += "!"
                    }
                }
            }
        }
        try queue.close()
        let database = try file.models()
        defer { try? database.close() }
        let tracks = try Track.all.fetch()
        let own = try Stopwatch.median(runs: options.runs) {
            for track in tracks {
                track.plays += 1
                track.title += "!"
            }
            try database.saveAllChanges()
        }
        report.add("change and save", own.time, baseline: plain.time, limit: Self.limit)
    }

    private func savingFew(
        _ file: TrackFile, _ options: SuiteOptions, _ report: inout Report
    ) throws {
        let database = try file.models()
        defer { try? database.close() }
        let tracks = try Track.all.limit(100).fetch().objects
        func time(_ count: Int) throws -> Duration {
            try Stopwatch.median(
                runs: options.runs * 10,
                prepare: {
                    for track in tracks.prefix(count) { track.plays += 1 }
                },
                work: { try Track.save(tracks.prefix(count)) }
            ).time
        }
        report.add(
            "save 100, compared with saving 1", try time(100), baseline: try time(1), limit: 3)
    }

    /// Measures the time from the end of a save to the update of an observed list.
    private func following(
        _ file: TrackFile, _ options: SuiteOptions, _ report: inout Report
    ) async throws {
        let database = try file.models()
        defer { try? database.close() }
        let list = try Track.where { $0.year > 0 }.order { [$0.title.ascending] }.live()
        var changes = list.makeAsyncIterator()
        guard let first = try await changes.next(), first.list.count == Self.count else {
            throw BenchError("the list is incomplete")
        }
        var times: [Duration] = []
        for number in 0..<(options.runs * 10) {
            let track = first.list[number * 997 % Self.count]
            track.title = "The title of track \(number * 1_231)"
            try Self.saveNow(track)
            let start = ContinuousClock.now
            let change = try await changes.next()
            times.append(ContinuousClock.now - start)
            guard change?.changed.count == 1 else { throw BenchError("another row changed") }
        }
        report.add("a change in a list of 100,000", Stopwatch.median(of: times), limit: 5)
    }

    private static func saveNow(_ track: Track) throws { try track.save() }

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        try memory(of: name)
    }

    private func memory(of name: String) throws -> Double {
        let file = try TrackFile()
        defer { file.remove() }
        try file.fill(Self.count)
        switch name {
        case "objects":
            let database = try file.models()
            defer { try? database.close() }
            _ = try Track.all.limit(1).fetch()
            return try Self.growth { try Track.all.fetch().objects }
        case "records":
            let queue = try file.plain()
            _ = try queue.read { try PlainTrack.fetchOne($0) }
            return try Self.growth { try queue.read { try PlainTrack.fetchAll($0) } }
        default: throw BenchError("the suite \(Self.name) has no probe \(name)")
        }
    }

    /// Returns the number of bytes that the result of `body` takes.
    private static func growth<Result>(of body: () throws -> Result) throws -> Double {
        let before = try ResidentMemory.current()
        let result = try body()
        return try withExtendedLifetime(result) { Double(try ResidentMemory.current() - before) }
    }
}
