import AutoModel
import Foundation
import Testing

/// Saving several objects of which one can't be saved.
@Suite struct SaveFailureTests {
    @Test func otherObjectsAndModelsAreSaved() throws {
        try withOpened(Account.self, V1.Item.self) { database in
            try Account.create { $0.email = "a" }.save()
            let first = try Account.create { $0.email = "b" }
            let repeated = try Account.create { $0.email = "a" }
            let last = try Account.create { $0.email = "c" }
            let item = try V1.Item.create { $0.name = "item" }
            let error = #expect(throws: AutoModelError.self) { try database.saveAllChanges() }
            #expect(error?.code == .notUnique)
            #expect(!first.hasChanges && !last.hasChanges && !item.hasChanges)
            #expect(repeated.hasChanges)
            try database.expect("SELECT email FROM Account", [["a"], ["b"], ["c"]])
            try database.expect("SELECT name FROM Item", [["item"]])
            repeated.email = "d"
            try Account.saveChanges()
            try database.expect("SELECT count(*) FROM Account", [[4]])
        }
    }

    @Test func rowThatAppearedFailsOnlyTheSaveOfItsObject() throws {
        try withOpened(V1.Item.self) { database in
            let taken = try V1.Item.create(id: 7) { $0.name = "mine" }
            try database.execute("INSERT INTO Item (id, name) VALUES (7, 'theirs')")
            let other = try V1.Item.create { $0.name = "other" }
            let error = #expect(throws: AutoModelError.self) { try database.saveAllChanges() }
            #expect(error?.code == .notUnique && error?.ids == [7])
            #expect(taken.hasChanges && !other.hasChanges)
            _ = try V1.Item.fetch(7)
            try database.saveAllChanges()
            try database.expect("SELECT name FROM Item ORDER BY name", [["mine"], ["other"]])
        }
    }

    @Test func unencodableValueFailsOnlyTheSaveOfItsObject() throws {
        try withOpened(Numbers.self, Measured.self) { database in
            let unfit = try Numbers.create { $0.real = .nan }
            let coded = try Measured.create { $0.values = [.nan] }
            let fit = try Numbers.create { $0.real = 2 }
            let error = #expect(throws: AutoModelError.self) { try database.saveAllChanges() }
            #expect(error?.code == .invalidValue)
            #expect(Set(error?.ids ?? []) == [unfit.id, coded.id])
            #expect(!fit.hasChanges)
            try database.expect("SELECT real FROM Numbers", [[2.0]])
        }
    }

    @Test func deletedRowFailsOnlyTheSaveOfItsObject() throws {
        try withOpened(V1.Item.self) { database in
            let deleted = try V1.Item.create { $0.name = "deleted" }
            let kept = try V1.Item.create { $0.name = "kept" }
            try database.saveAllChanges()
            try database.execute("DELETE FROM Item WHERE id = ?", [deleted.id])
            deleted.size = 1
            kept.size = 1
            let error = #expect(throws: AutoModelError.self) { try V1.Item.saveChanges() }
            #expect(error?.code == .noRow && error?.ids == [deleted.id])
            try database.expect("SELECT name, size FROM Item", [["kept", 1]])
        }
    }

    @Test func objectWhoseReferenceCannotBeSavedLeavesNothingBehind() throws {
        try withOpened(Account.self, Post.self) { database in
            try Account.create { $0.email = "a" }.save()
            let author = Account()
            author.email = "a"
            let blocked = try Post.create { $0.author = Reference(author) }
            let reader = Account()
            reader.email = "b"
            let listed = try Post.create {
                $0.text = "listed"
                $0.readers.set([reader, author])
            }
            let other = try Post.create { $0.text = "other" }
            #expect(throws: AutoModelError.self) { try database.saveAllChanges() }
            try database.expect("SELECT text FROM Post", [["other"]])
            try database.expect("SELECT email FROM Account", [["a"]])
            #expect(blocked.hasChanges && listed.hasChanges && !other.hasChanges)
            author.email = "c"
            try database.saveAllChanges()
            try database.expect("SELECT count(*) FROM Post", [[3]])
            try database.expect("SELECT email FROM Account ORDER BY email", [["a"], ["b"], ["c"]])
            #expect(try listed.readers.objects().map(\.email) == ["b", "c"])
        }
    }

    @Test func failedDeletionDoesNotPreventOtherWork() throws {
        try withOpened(
            Folder.self, Paper.self, configure: { $0.laterDelay = .seconds(3600) }
        ) { database in
            let used = try Folder.create { $0.name = "used" }
            let unused = try Folder.create { $0.name = "unused" }
            try Paper.create { $0.folder = Reference(used) }.save()
            try database.saveAllChanges()
            try used.deleteLater()
            try unused.deleteLater()
            try Folder.create { $0.name = "new" }.saveLater()
            let error = #expect(throws: AutoModelError.self) { try database.release() }
            #expect(error?.code == .referred)
            try database.resume()
            try database.expect("SELECT name FROM Folder ORDER BY name", [["new"], ["used"]])
        }
    }

    @Test func postponedSaveThatFailedIsTriedAgainByReleasing() throws {
        try withOpened(
            Account.self, configure: { $0.laterDelay = .seconds(3600) }
        ) { database in
            try database.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON Account
                BEGIN SELECT RAISE(ROLLBACK, 'refused'); END
                """)
            try Account.create { $0.email = "a" }.saveLater()
            #expect(throws: AutoModelError.self) { try database.release() }
            try database.resume()
            try database.execute("DROP TRIGGER refuse")
            try database.release()
            try database.resume()
            try database.expect("SELECT email FROM Account", [["a"]])
        }
    }

    @Test func failedPartOfATransactionLeavesNothingBehind() throws {
        try withOpened(Account.self) { database in
            try Account.create { $0.email = "a" }.save()
            let new = try Account.create { $0.email = "b" }
            let repeated = try Account.create { $0.email = "a" }
            try database.transaction {
                #expect(throws: AutoModelError.self) { try Account.save([new, repeated]) }
                try Account.create { $0.email = "c" }.save()
            }
            try database.expect("SELECT email FROM Account ORDER BY email", [["a"], ["c"]])
            #expect(new.hasChanges && repeated.hasChanges)
        }
    }

    @Test func nothingIsSavedAfterSQLiteRollsBackTheTransaction() throws {
        try withOpened(Account.self) { database in
            try database.execute(
                """
                CREATE TRIGGER refuse BEFORE INSERT ON Account WHEN new.email = 'b'
                BEGIN SELECT RAISE(ROLLBACK, 'refused'); END
                """)
            let accounts = try ["a", "b", "c"].map { email in
                try Account.create { $0.email = email }
            }
            #expect(throws: AutoModelError.self) {
                try database.transaction {
                    for account in accounts { try? account.save() }
                }
            }
            try database.expect("SELECT count(*) FROM Account", [[0]])
            for account in accounts { #expect(account.hasChanges) }
        }
    }
}

@AutoModel final class Measured { var values: [Double] = [] }

@AutoModel final class Post {
    var text = ""
    var author = Reference<Account>()
    var readers = ManyToMany(Account.self)
}

@AutoModel final class Folder { var name = "" }
@AutoModel final class Paper { var folder = Reference<Folder>(onDelete: .deny) }
