import AutoModel
import Foundation
import Testing

@AutoModel final class Singer {
    var name = ""
    var nick: String?
    var mentor = Reference<Singer>()
}

@AutoModel final class Disc {
    var name = ""
    var year = 0
    var isSold = false
    var singer = Reference<Singer>(onDelete: .nullify)
}

@AutoModel final class Track {
    var name = ""
    var seconds = 0.0
    var disc = Reference<Disc>(onDelete: .cascade)
    var guests = ManyToMany(Singer.self)
}

@AutoModel struct Play {
    var stars: Int?
    var track = Reference<Track>()
}

@Suite(.timeLimit(.minutes(30))) struct JoiningTests {
    private struct Music {
        let nina: Singer
        let miriam: Singer
        let discs: [Disc]
        let tracks: [Track]
    }

    private func filled(_ body: (AutoDatabase, Music) throws -> Void) throws {
        try withOpened(Singer.self, Disc.self, Track.self, Play.self) { database in
            try body(database, try music(database))
        }
    }

    private func music(_ database: AutoDatabase) throws -> Music {
        let nina = try Singer.create(id: 1) { $0.name = "Nina" }
        let miriam = try Singer.create(id: 2) {
            $0.name = "Miriam"
            $0.nick = "Mama"
            $0.mentor = Reference(id: 1)
        }
        _ = try Singer.create(id: 3) { $0.name = "Odetta" }
        let years = [1965, 1966, 1967, 1960]
        let discs = try years.enumerated().map { index, year in
            try Disc.create(id: Int64(index + 1)) {
                $0.name = "Disc \(index + 1)"
                $0.year = year
                $0.isSold = index == 0
                $0.singer = index == 3 ? Reference() : Reference(index == 2 ? miriam : nina)
            }
        }
        let tracks = try (0..<5).map { index in
            try Track.create(id: Int64(index + 1)) {
                $0.name = "Track \(index + 1)"
                $0.seconds = Double(index * 60)
                $0.disc = Reference(discs[index / 2])
            }
        }
        try database.saveAllChanges()
        try Play.save([
            Play(stars: 5, track: Reference(id: 1)), Play(stars: nil, track: Reference(id: 1)),
        ])
        return Music(nina: nina, miriam: miriam, discs: discs, tracks: tracks)
    }

    @Test func firstValueRespectsTheLimitOfItsQuery() throws {
        try filled { _, _ in
            let second = try Play.all.limit(5, offset: 1).first()
            #expect(second?.id == 2)
            let none = try Play.all.limit(0).first()
            #expect(none == nil)
        }
    }

    @Test func conditionsOfBothTablesNarrowAJoin() throws {
        try filled { _, music in
            let found = try Disc.all.join(\.singer)
                .where { disc, singer in disc.year > 1965 && singer.name.hasPrefix("N") }
                .fetch()
            #expect(found.count == 1)
            #expect(found[0].0 === music.discs[1] && found[0].1 === music.nina)
            let unsold = try Disc.all.join(\.singer).where { disc, _ in !disc.isSold }.count()
            #expect(unsold == 2)
            let nicks = try Disc.all.join(\.singer).where { $1.nick == nil }.fetch().map(\.0.id)
            #expect(nicks == [1, 2])
        }
    }

    @Test func earlierConditionsOrdersAndLimitsStay() throws {
        try filled { _, music in
            let query = Disc.where { $0.name != "Disc 1" }.order { $0.year.descending }
            let all = try query.join(\.singer).fetch()
            #expect(all.map(\.0.id) == [3, 2])
            // The limit applies to the discs, and the first of them has no singer.
            let few = try query.order { [$0.year.ascending] }.limit(2).join(\.singer).fetch()
            #expect(few.map(\.0.id) == [2])
            let custom = try Disc.sql("WHERE year > ?", 1965).join(\.singer).fetch()
            #expect(custom.map(\.0.id) == [2, 3])
            let sorted = try query.join(\.singer).order { [$1.name.ascending, $0.year.ascending] }
                .limit(1, offset: 1).fetch()
            #expect(sorted.map(\.1.name) == ["Nina"])
        }
    }

    @Test func leftJoinKeepsRowsWithoutAPartner() throws {
        try filled { _, music in
            let found = try Disc.all.leftJoin(\.singer).fetch()
            #expect(found.map(\.0.id) == [1, 2, 3, 4])
            #expect(found.map(\.1?.name) == ["Nina", "Nina", "Miriam", nil])
            let alone = try Disc.all.leftJoin(\.singer).where { $1.id == nil }.fetch()
            #expect(alone.map(\.0.id) == [4])
            let names = try Disc.all.leftJoin(\.singer).values { ($0.name, $1.name, $1.nick) }
            #expect(names[2] == ("Disc 3", "Miriam", "Mama") && names[3] == ("Disc 4", nil, nil))
        }
    }

    @Test func referringRowsAreJoined() throws {
        try filled { _, music in
            let found = try Singer.all.join(Disc.where { $0.year > 1965 }, by: \.singer).fetch()
            #expect(found.map(\.0.name) == ["Nina", "Miriam"])
            #expect(found.map(\.1.id) == [2, 3])
            let counts = try Singer.all.leftJoin(Disc.where { $0.isSold }, by: \.singer)
                .group { singer, _ in singer.id }
                .values { singer, disc in (singer.name, disc.id.count(), disc.year.max()) }
            #expect(counts.map(\.0) == ["Nina", "Miriam", "Odetta"])
            #expect(counts.map(\.1) == [1, 0, 0] && counts.map(\.2) == [1965, nil, nil])
        }
    }

    @Test func threeTablesAndValuesAreJoined() throws {
        try filled { _, music in
            let found = try Track.all.join(\.disc).join { $1.singer }
                .where { track, disc, singer in
                    track.seconds > 60 && disc.year < 1967 && singer.name == "Nina"
                }
                .fetch()
            #expect(found.map(\.0) == [music.tracks[2], music.tracks[3]])
            #expect(found.map(\.2) == [music.nina, music.nina])
            let played = try Play.all.order { $0.stars.descending }.join(\.track)
                .leftJoin { $1.disc }.fetch()
            #expect(played.map(\.0.stars) == [5, nil])
            #expect(played.map(\.2?.name) == ["Disc 1", "Disc 1"])
        }
    }

    @Test func tableIsJoinedToItself() throws {
        try filled { _, music in
            let found = try Singer.where { $0.name == "Miriam" }.join(\.mentor).fetch()
            #expect(found.count == 1 && found[0].0 === music.miriam && found[0].1 === music.nina)
            let named = try Singer.all.leftJoin(\.mentor)
                .where { _, _ in Condition(sql: #""Singer_2"."name" = ?"#, arguments: ["Nina"]) }
                .count()
            #expect(named == 1)
        }
    }

    @Test func relatedListsAreJoined() throws {
        try filled { database, music in
            music.tracks[0].guests.set([music.miriam])
            try database.saveAllChanges()
            let mentors = try music.tracks[0].guests.query.join(\.mentor).fetch()
            #expect(mentors.map(\.1) == [music.nina])
        }
    }

    @Test func groupsHaveAggregates() throws {
        try filled { _, music in
            let discs = try Disc.where { $0.year > 1960 }.group { $0.singer }
                .values { ($0.singer, $0.id.count(), $0.year.min(), $0.year.average()) }
            #expect(discs.map(\.0.id) == [1, 2] && discs.map(\.1) == [2, 1])
            #expect(discs.map(\.2) == [1965, 1967] && discs.map(\.3) == [1965.5, 1967])
            let long = Track.all.join(\.disc).group { ($1.name, $1.year) }
                .having { track, _ in track.seconds.sum() > 60 }
            #expect(try long.count() == 2)
            let sums = try long.order { track, _ in track.seconds.sum().ascending }
                .values { ($1.name, $0.seconds.sum()) }
            #expect(sums.map(\.0) == ["Disc 3", "Disc 2"] && sums.map(\.1) == [240, 300])
            #expect(try long.order { $1.year.descending }.limit(1).values { $1.year } == [1967])
            #expect(try Disc.all.group(by: \.isSold).values { $0.id.count() } == [3, 1])
            #expect(try Disc.all.values { $0.singer.count(distinct: true) } == [2])
            #expect(try Disc.all.values { ($0.name, $0.year) }.last! == ("Disc 4", 1960))
        }
    }

    @Test func everyCallHasAnAsynchronousForm() async throws {
        try await withDatabase(Singer.self, Disc.self, Track.self, Play.self) { database in
            _ = try music(database)
            let query = Disc.all.join(\.singer)
            let (fetched, count) = (try await query.fetch(), try await query.count())
            #expect(fetched.count == 3 && count == 3)
            #expect(try await query.values { $1.name } == ["Nina", "Nina", "Miriam"])
            let groups = query.group { $1.name }
            #expect(try await groups.count() == 2)
            #expect(try await groups.values { ($1.name, $0.id.count()) }.map(\.1) == [1, 2])
            #expect(try await Disc.all.values { ($0.name, $0.year) }.count == 4)
        }
    }

    @Test func liveJoinReportsChangesOfEitherTable() async throws {
        try await withDatabase(Singer.self, Disc.self, Track.self, Play.self) { database in
            let music = try music(database)
            var rows = try Disc.where { $0.year > 1960 }.join(\.singer).live().makeAsyncIterator()
            var counts = try Disc.all.join(\.singer).group { $1.name }
                .liveValues { ($1.name, $0.id.count()) }.makeAsyncIterator()
            var years = try Disc.all.liveValues { $0.year }.makeAsyncIterator()
            #expect(try await rows.next()?.count == 3)
            #expect(try await counts.next()?.map(\.1) == [1, 2])
            #expect(try await years.next()?.count == 4)

            music.nina.name = "Nina Simone"
            try await music.nina.save()
            #expect(try await rows.next()?.map(\.1.name).first == "Nina Simone")
            #expect(try await counts.next()?.map(\.0) == ["Miriam", "Nina Simone"])

            music.discs[3].singer = Reference(music.miriam)
            try await music.discs[3].save()
            #expect(try await counts.next()?.map(\.1) == [2, 2])

            try await database.execute("UPDATE Disc SET year = 1999 WHERE id = 4")
            #expect(try await years.next()?.last == 1999)
            #expect(try await rows.next()?.count == 4)
            try database.close()
            let end = (try await rows.next() == nil, try await years.next() == nil)
            #expect(end == (true, true))
        }
    }

    @Test func unrelatedChangesAreNotReported() async throws {
        try await withDatabase(Singer.self, Disc.self, Track.self, Play.self) { database in
            let music = try music(database)
            var years = try Disc.all.liveValues { $0.year }.makeAsyncIterator()
            var rows = try Disc.where { $0.year == 1965 }.join(\.singer).live()
                .makeAsyncIterator()
            #expect(try await years.next() != nil)
            #expect(try await rows.next()?.count == 1)
            music.discs[1].name = "Renamed"
            try await music.discs[1].save()
            music.discs[0].year = 1964
            try await music.discs[0].save()
            #expect(try await years.next()?.first == 1964)
            #expect(try await rows.next()?.count == 0)
        }
    }

    @Test func tablesInDifferentFilesAreRefused() throws {
        try withOpened(
            Elsewhere.self, Singer.self,
            configure: { $0.files["other"] = ":memory:" }
        ) { _ in
            let error = #expect(throws: AutoModelError.self) {
                try Elsewhere.all.join(\.singer).fetch()
            }
            #expect(error?.code == .declaration && error?.message.contains("files") == true)
        }
    }

    @Test func unfitConditionIsReportedWhenTheQueryRuns() throws {
        try filled { _, _ in
            let error = #expect(throws: AutoModelError.self) {
                try Track.all.join(\.disc).where { track, _ in track.seconds == .nan }.fetch()
            }
            #expect(error?.code == .invalidValue)
        }
    }
}

@AutoModel(file: "other") final class Elsewhere {
    var singer = Reference<Singer>()
}
