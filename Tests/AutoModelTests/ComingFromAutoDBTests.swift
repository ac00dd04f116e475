import AutoModel
import Foundation
import TestSupport
import Testing

/// The calls that docs/from-autodb.md names in place of AutoDB's.
@Suite struct ComingFromAutoDBTests {
    // begin
    @AutoModel final class Musician {
        @Column(.indexed) var name = ""
        @Column(formerly: "number_of_records") var recordCount = 0
        @Column(.fullText) var notes = ""
        var formed: Date?
        var words: [String: Int] = [:]
        @Excluded var isSelected = false
        var records = Children(of: Record.self, by: \.musician)
        var friends = ManyToMany(Musician.self)
        func awakeFromFetch() { isSelected = false }
        func willSave() { name = name.trimmingCharacters(in: .whitespaces) }
        static var schema: ModelSchema<Musician> {
            ModelSchema().unique(\.name, \.formed).removed("nickname")
                .converting(\.recordCount) { _ in 0 }
        }
    }

    @AutoModel(ids: .ascending) final class Record {
        var title = ""
        var isSold = false
        var musician = Reference<Musician>(onDelete: .cascade)
    }

    @AutoModel(tracksChanges: false) final class Position {
        var offset = 0.0
    }

    func use(_ path: String, _ texts: [String]) async throws -> Bool {
        let database = try await AutoDatabase.open(at: path, models: Musician.self, Record.self)
        var configuration = AutoDatabase.Configuration()
        configuration.closeDelay = .seconds(1)
        let other = try await AutoDatabase.open(
            at: ":memory:", models: Position.self, configuration: configuration)
        let nina = try Musician.create { $0.name = "Nina Simone" }
        let seven = try await Musician.create(id: 7)
        try await nina.save()
        try await Musician.save([nina, seven])
        nina.recordCount = 40
        try await Musician.saveChanges()
        try await database.saveAllChanges()
        try nina.saveLater()
        let one = try await Musician.fetch(7)
        let some = try await Musician.fetch([7, nina.id])
        let named = try await Musician.fetch(texts.compactMap { Int64($0) })
        let found = try await Musician.where { $0.recordCount > 10 }.fetch()
        let sorted = try await Musician.all.order { [$0.name.ascending] }.limit(10).fetch()
        let custom = try await Musician.sql("WHERE name LIKE ?", "Nina%").fetch()
        let cached = try Musician.cachedQuery("many") { Musician.where { $0.recordCount > 10 } }
        let unsold = try await Record.where { !$0.isSold }.fetch()
        let newest = try await Musician.all.value { $0.formed.max() }
        let ids = try await Musician.all.values { $0.name }
        let joined = try await Record.all.join(\.musician).where { $1.formed == nil }.fetch()
        let all = try await Musician.all.leftJoin(Record.all, by: \.musician).fetch()
        let counts = try await Record.all.group { $0.isSold }.values { ($0.isSold, $0.id.count()) }
        let pairs = try Record.all.join(\.musician).live()
        let matching = try await Musician.search("nina").fetch()
        let records = try await nina.records.objects()
        let makers = try await Record.fetch(\.musician, of: unsold)
        let friends = try await nina.friends.query.order { [$0.name.ascending] }.fetch()
        let changes = nina.changes()
        let list = try Musician.all.live()
        let total = try await database.transaction { try Musician.all.count() }
        try await Record.all.deleteMissing(ids: [1, 2])
        try await seven.delete()
        try await database.release()
        try await database.resume()
        // end
        withExtendedLifetime((changes, list, pairs, matching, sorted, cached, newest)) {}
        try database.close()
        try other.close()
        return one === seven && some.count == 2 && found.first === nina && custom.first === nina
            && ids.count == 2 && records.isEmpty && total == 2 && named.count == 1
            && makers.isEmpty && friends.isEmpty && joined.isEmpty && all.count == 2
            && counts.isEmpty
    }

    @Test func documentedCallsWork() async throws {
        let folder = try TemporaryFolder()
        #expect(try await use(folder.appending("music.db"), ["7", "x"]))
    }
}
