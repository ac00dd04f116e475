import AutoModel
import Foundation
import Testing

@Suite struct RelationTests {
    @Test func childrenAreFoundByTheirReference() throws {
        try withOpened(Artist.self, Album.self) { database in
            let nina = try Artist.create { $0.name = "Nina" }
            let other = try Artist.create { $0.name = "Miriam" }
            for year in [1958, 1965] {
                _ = try Album.create(id: Int64(year)) {
                    $0.year = year
                    $0.artist = Reference(nina)
                }
            }
            try Album.create(id: 1) { $0.artist = Reference(other) }.save()
            try database.saveAllChanges()
            #expect(try nina.albums.objects().map(\.year) == [1958, 1965])
            #expect(try nina.albums.count() == 2)
            #expect(try Album.fetch(1958)?.artist.object() === nina)
            let late = try nina.albums.query.where { $0.year > 1960 }.ids()
            #expect(late == [1965])
            let album = try #require(try Album.fetch(1958))
            album.artist = Reference(other)
            try album.save()
            #expect(try nina.albums.objects().map(\.year) == [1965])
            let sql = "SELECT count(*) FROM pragma_index_list('Album')"
            #expect(try database.rows(sql) == [[1]])
        }
    }

    @Test func referencesAreComparedWithObjects() async throws {
        try await withDatabase(Artist.self, Album.self) { database in
            let nina = try Artist.create { $0.name = "Nina" }
            _ = try await Album.create(id: 1) { $0.artist = Reference(nina) }
            _ = try await Album.create(id: 2) { _ in }
            try await database.saveAllChanges()
            let unsaved = Artist()
            #expect(try await Album.where { $0.artist == nina }.ids() == [1])
            #expect(try await Album.where { $0.artist != nina }.ids() == [2])
            #expect(try await Album.where { $0.artist == nil }.ids() == [2])
            #expect(try await Album.where { $0.artist != nil }.ids() == [1])
            #expect(try await Album.where { $0.artist == unsaved }.ids() == [])
            #expect(try await Album.where { $0.artist == Reference(nina) }.ids() == [1])
            let pairs = try await Album.all.leftJoin(\.artist)
                .where { album, _ in album.artist == nina }.fetch()
            #expect(pairs.map(\.0.id) == [1])
        }
    }

    @Test func newObjectIsSavedWithItsReferrer() throws {
        try withOpened(Owner.self, Badge.self, Group.self) { _ in
            let badge = Badge()
            badge.number = 7
            let owner = Owner()
            owner.badge = Reference(badge)
            try owner.save()
            #expect(badge.id != 0 && owner.badge.id == badge.id && !badge.hasChanges)
            #expect(try badge.owner.object() === owner)
        }
    }

    @Test func ownedObjectHasOneOwnerAndIsDeletedWithIt() throws {
        try withOpened(Owner.self, Badge.self, Group.self) { _ in
            let badge = Badge()
            let owner = Owner()
            owner.badge = Reference(badge)
            try owner.save()
            let second = Owner()
            second.badge = Reference(badge)
            let error = #expect(throws: AutoModelError.self) { try second.save() }
            #expect(error?.code == .notUnique)
            try owner.delete()
            #expect(badge.isDeleted)
            #expect(try Badge.all.count() == 0)
        }
    }

    @Test func deletingAppliesDeleteRules() throws {
        try withOpened(Artist.self, Album.self) { _ in
            let nina = try Artist.create()
            let album = try Album.create { $0.artist = Reference(nina) }
            try nina.save()
            try album.save()
            try nina.delete()
            #expect(album.isDeleted)
        }
        try withOpened(Owner.self, Badge.self, Group.self) { _ in
            let boss = Owner()
            try boss.save()
            let worker = Owner()
            worker.boss = Reference(boss)
            let guest = Owner()
            guest.host = Reference(boss)
            try Owner.save([worker, guest])
            let error = #expect(throws: AutoModelError.self) { try boss.delete() }
            #expect(error?.code == .referred && !boss.isDeleted)
            #expect(try Owner.all.count() == 3)
            try worker.delete()
            try boss.delete()
            #expect(guest.host.id == nil && !guest.hasChanges)
        }
    }

    @Test func rowsInAReferenceCycleAreDeletedOnce() throws {
        try withOpened(Ring.self) { _ in
            let (a, b) = (Ring(), Ring())
            try Ring.save([a, b])
            a.next = Reference(b)
            b.next = Reference(a)
            try Ring.save([a, b])
            try a.delete()
            #expect(a.isDeleted && b.isDeleted)
            #expect(try Ring.all.count() == 0)
        }
    }

    @Test func listsKeepTheirOrderAndRepeats() throws {
        try withOpened(Owner.self, Badge.self, Group.self) { database in
            let people = (0..<3).map { _ in Owner() }
            let group = Group()
            group.members.set([people[2], people[0], people[2]])
            group.guests.set([people[1], people[1]])
            #expect(group.hasChanges)
            #expect(try group.members.objects().objects == [people[2], people[0], people[2]])
            try group.save()
            #expect(people[0].id != 0 && !group.hasChanges)
            #expect(try group.members.objects().objects == [people[2], people[0], people[2]])
            #expect(try group.guests.objects().objects == [people[1]])
            #expect(try people[2].groups.objects().objects == [group])
            try group.members.append(people[1])
            try group.members.remove(people[2])
            try database.saveAllChanges()
            #expect(try group.members.objects().objects == [people[0], people[1]])
            try people[0].delete()
            #expect(try group.members.objects().objects == [people[1]])
            try group.delete()
            #expect(try database.rows("SELECT count(*) FROM Group_members") == [[0]])
        }
    }

    @Test func failedSaveKeepsListChanges() throws {
        struct Stop: Error {}
        try withOpened(Owner.self, Badge.self, Group.self) { database in
            let (group, owner) = (Group(), Owner())
            try group.save()
            group.members.set([owner])
            #expect(throws: Stop.self) {
                try database.transaction {
                    try group.save()
                    throw Stop()
                }
            }
            #expect(group.hasChanges && owner.id == 0)
            try database.saveAllChanges()
            #expect(try database.rows("SELECT count(*) FROM Group_members") == [[1]])
        }
    }

    @Test func childrenOfSeveralObjectsAreFetchedAtOnce() throws {
        try withOpened(Artist.self, Album.self) { database in
            let artists = try (0..<5).map { _ in try Artist.create() }
            for index in 0..<20 {
                _ = try Album.create { $0.artist = Reference(artists[index % 4]) }
            }
            try database.saveAllChanges()
            let albums = try Artist.fetch(\.albums, of: artists)
            #expect(albums.count == 20)
            for artist in artists.prefix(4) {
                #expect(try artist.albums.objects().allSatisfy { $0.artist.id == artist.id })
                #expect(try artist.albums.objects().count == 5)
            }
            #expect(try artists[4].albums.objects().isEmpty)
        }
    }

    @Test func referencedObjectsAreFetchedAtOnce() async throws {
        try await withDatabase(Artist.self, Album.self) { database in
            try await database.execute("INSERT INTO Artist (id, name) VALUES (1, 'a'), (2, 'b')")
            try await database.execute(
                "INSERT INTO Album (id, artist) VALUES (1, 2), (2, 1), (3, 2), (4, NULL), (5, 9)")
            let albums = try await Album.all.fetch()
            let artists = try await Album.fetch(\.artist, of: albums)
            #expect(artists.map(\.id) == [2, 1])
            #expect(try await albums[0].artist.object() === artists[0])
            #expect(try await Album.fetch(\.artist, of: []).isEmpty)
        }
    }

    @Test func listsOfSeveralObjectsAreFetchedAtOnce() throws {
        try withOpened(Owner.self, Badge.self, Group.self) { database in
            let people = (0..<4).map { _ in Owner() }
            let groups = (0..<3).map { _ in Group() }
            groups[0].members.set([people[2], people[0], people[2]])
            groups[1].members.set([people[0]])
            try Group.save(groups)
            let members = try Group.fetch(\.members, of: groups)
            #expect(members.objects == [people[2], people[0]])
            for _ in 0..<2 {
                #expect(
                    try groups[0].members.objects().objects == [people[2], people[0], people[2]])
                #expect(try groups[2].members.objects().isEmpty)
            }
            let found = try Owner.fetch(\.groups, of: people)
            #expect(Set(found.objects) == [groups[0], groups[1]])
            #expect(Set(try people[0].groups.objects().objects) == [groups[0], groups[1]])

            // A change of either table is seen, also inside its transaction.
            groups[2].members.set([people[3]])
            try database.transaction {
                try groups[2].save()
                #expect(try groups[2].members.objects().objects == [people[3]])
            }
            #expect(try groups[2].members.objects().objects == [people[3]])
            try Group.fetch(\.members, of: groups)
            try people[3].save()
            try people[2].delete()
            #expect(try groups[0].members.objects().objects == [people[0]])
            try Group.fetch(\.members, of: groups)
            try database.execute("DELETE FROM Group_members")
            #expect(try groups[1].members.objects().isEmpty)
        }
    }

    @Test func listsHaveAQueryAndACount() async throws {
        try await withDatabase(Owner.self, Badge.self, Group.self) { _ in
            let people = (0..<3).map { _ in Owner() }
            let group = Group()
            group.members.set([people[2], people[0], people[2]])
            #expect(try await group.members.count() == 3)
            #expect(try await group.members.query.count() == 0)
            try await group.save()
            let ids = people.map(\.id)
            #expect(try await group.members.count() == 3)
            #expect(try await group.members.query.ids() == [ids[0], ids[2]].sorted())
            #expect(try await group.members.query.where { $0.id == ids[2] }.first() === people[2])
            #expect(try await people[2].groups.count() == 1)
            #expect(try await people[2].groups.query.first() === group)
            try await group.members.append(people[1])
            #expect(try await group.members.count() == 4)
            try await group.members.remove(people[2])
            try await group.save()
            #expect(try await group.members.count() == 2)
        }
    }

    @Test func missingModelIsNamed() throws {
        let error = #expect(throws: AutoModelError.self) { try withOpened(Album.self) { _ in } }
        #expect(error?.code == .declaration && error?.message.contains("Artist") == true)
    }
}

@AutoModel(ids: .ascending) final class Owner {
    var badge = Reference<Badge>.owning()
    var boss = Reference<Owner>(onDelete: .deny)
    var host = Reference<Owner>()
    var groups = ManyToMany(Group.self, inverse: "members")
}

@AutoModel(ids: .ascending) final class Badge {
    var number = 0
    var owner = Inverse(of: Owner.self, by: \.badge)
}

@AutoModel final class Group {
    var name = ""
    var members = ManyToMany(Owner.self)
    var guests = ManyToMany(Owner.self, repeats: false)
}

@AutoModel final class Ring {
    var next = Reference<Ring>(onDelete: .cascade)
}
