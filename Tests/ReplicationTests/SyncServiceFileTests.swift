import Replication
import Testing

@Suite struct SyncServiceFileTests {
    struct Case: Sendable {
        let name: String
        let role: SyncServiceFile.Role?
        var original: String?
        var service: SyncServiceFile.Service?

        init(
            _ name: String, _ role: SyncServiceFile.Role?, _ original: String? = nil,
            _ service: SyncServiceFile.Service? = nil
        ) {
            self.name = name
            self.role = role
            self.original = original
            self.service = service
        }
    }

    @Test(arguments: [
        Case(
            "Logs.sync-conflict-20240101-123456-ABCDEFG.db", .conflictCopy, "Logs.db", .syncthing),
        Case(
            "logs.sync-conflict-20240101-123456-ABCDEFG.db", .conflictCopy, "logs.db", .syncthing),
        Case(
            "Logs.sync-conflict-20240101-123456-ABCDEFG.db-journal", .conflictCopy,
            "Logs.db-journal", .syncthing),
        Case(".syncthing.Logs.db.tmp", .temporary, "Logs.db", .syncthing),
        Case("~syncthing~Logs.db.tmp", .temporary, "Logs.db", .syncthing),
        Case(
            "Logs (Ada's conflicted copy 2024-01-01).db", .conflictCopy, "Logs.db", .dropbox),
        Case(
            "Entities (conflicted copy 2024-01-01 123456).db", .conflictCopy, "Entities.db",
            .nextcloud),
        Case("Logs (Konfliktkopie von Ada 2024-01-01).db", .conflictCopy, "Logs.db"),
        Case("Logs_conflict-20240101-123456.db", .conflictCopy, "Logs.db", .nextcloud),
        Case(
            "Logs (SFConflict ada@example.com 2024-01-01-12-00-00).db", .conflictCopy, "Logs.db",
            .seafile),
        Case("Logs 2.db", .conflictCopy, "Logs.db", .iCloud),
        Case("Logs (1).db", .conflictCopy, "Logs.db", .googleDrive),
        Case("Logs [Conflict].db", .conflictCopy, "Logs.db", .googleDrive),
        Case("Logs-DESKTOP-1234.db", .conflictCopy, "Logs.db", .oneDrive),
        Case("Logs.Conflict.db", .conflictCopy, "Logs.db", .resilio),
        Case("Logs.db.conflict1", .conflictCopy, "Logs.db", .rclone),
        Case(".Logs.db.icloud", .placeholder, "Logs.db", .iCloud),
        Case(".Logs.db.a1B2c3", .temporary, "Logs.db", .rsync),
        Case(".Logs.db.~1a2b3c4d", .temporary, "Logs.db", .nextcloud),
        Case("Logs.db.!sync", .temporary, "Logs.db", .resilio),
        Case("Logs.db.5f3a9c1e.partial", .temporary, "Logs.db", .rclone),
        Case(".unison.Logs.db.1a2b.unison.tmp", .temporary, nil, .unison),
        // Copies of any file, recognized by a mark that users don't choose themselves.
        Case(
            "photo.sync-conflict-20260101-120000-ABC2DEF.jpg", .conflictCopy, "photo.jpg",
            .syncthing),
        Case("notes.sync-conflict-20260101-120000-ABC2DEF", .conflictCopy, "notes", .syncthing),
        Case("photo.jpg..path1", .conflictCopy, "photo.jpg", .rclone),
        Case("photo.jpg.conflict2", .conflictCopy, "photo.jpg", .rclone),
        Case("Logs.db-journal..path2", .conflictCopy, "Logs.db-journal", .rclone),
        Case("a (Ada's conflicted copy 2026-01-01).txt", .conflictCopy, "a.txt", .dropbox),
        Case("a (conflicted copy 2026-01-01 120000).txt", .conflictCopy, "a.txt", .nextcloud),
        Case("a (SFConflict ada@example.com 2026-01-01-12-00-00)", .conflictCopy, "a", .seafile),
        Case("photo.sync-conflict-yesterday.jpg", nil), Case("a.conflict", nil),
        Case("..path1", nil),
        Case("a.conflict1.txt", nil), Case(".sync-conflict-20260101-120000-ABC2DEF", nil),
        Case("a (no conflicted copies).txt", nil), Case("a) (conflicted copy 1", nil),
        Case("notes.sync-conflict-20170409-192607.txt", .conflictCopy, "notes.txt", .syncthing),
        Case("notes_conflict-20260301-120000.txt", .conflictCopy, "notes.txt", .nextcloud),
        Case("notes_conflict-yesterday.txt", nil), Case("a_conflict-20260301.txt", nil),
        Case(
            "notes (Conflicted copy ThinkPad 202603121129).txt", .conflictCopy, "notes.txt",
            .obsidian),
        Case("notes (conflicting copy).txt", .conflictCopy, "notes.txt", .maestral),
        Case("notes (conflicted copy, ada v10).txt", .conflictCopy, "notes.txt"),
        Case("notes (Ada's conflicted copy) (1).txt", .conflictCopy, "notes.txt", .dropbox),
        Case("notes (Case Conflict).txt", .conflictCopy, "notes.txt", .dropbox),
        Case("notes (Case Conflict 2).txt", .conflictCopy, "notes.txt", .dropbox),
        Case("notes (Unicode Encoding Conflict).txt", .conflictCopy, "notes.txt", .dropbox),
        Case(
            "notes (copie en conflit de Ada 2026-03-01).txt", .conflictCopy, "notes.txt", .dropbox),
        Case(
            "notes (Adas in Konflikt stehende Kopie 2026-03-01).txt", .conflictCopy, "notes.txt",
            .dropbox),
        Case("notes (Ada の競合コピー 2026-03-01).txt", .conflictCopy, "notes.txt", .dropbox),
        Case("notes (конфликтующая копия Ada 2026-03-01)", .conflictCopy, "notes", .dropbox),
        Case("notes-fedora-safeBackup-0001.txt", .conflictCopy, "notes.txt", .oneDrive),
        Case("my_notes_NAS_Nov-21-120000-2026_Conflict.txt", .conflictCopy, "my_notes.txt"),
        Case("notes_a.local_Nov-21-1200-2026_Conflict", .conflictCopy, "notes"),
        Case("_NAS_Nov-21-120000-2026_Conflict", nil), Case("notes_NAS_today_Conflict.txt", nil),
        Case("~$notes.docx", .lock), Case(".~lock.notes.odt#", .lock, "notes.odt"),
        Case("photo.jpg.nextcloud", .placeholder, "photo.jpg", .nextcloud),
        Case("Romeo (Conflicts between families).pdf", nil), Case("Copy (2) of notes.txt", nil),
        Case("Law (a case conflict in court).txt", nil), Case("backup.nextcloud", nil),
        Case("notes-safeBackup-0001.txt", nil), Case("notes (1).txt", nil), Case("~$", nil),
        // Older versions.
        Case("Logs~20260101-120000.db", .version, "Logs.db", .syncthing),
        Case("Entities~20260101-120000.db-journal", .version, "Entities.db-journal", .syncthing),
        Case("Logs.db~", .version, "Logs.db"),
        Case("Catalog.db-journal~", .version, "Catalog.db-journal"),
        Case(".bak.12.Logs.db", .version, "Logs.db", .unison),
        Case("photo~20260101-120000.jpg", nil), Case("photo.jpg~", nil), Case(".bak.Logs.db", nil),
        // Transfers, as named by the services' programs.
        Case(
            ".syncthing.Logs.sync-conflict-20261122-020113-RZTSVMW.db.tmp", .temporary,
            "Logs.sync-conflict-20261122-020113-RZTSVMW.db", .syncthing),
        Case(
            ".unison.ben's téléphone.107ebb7b4dae0c8ab7819240b35e0169.unison.tmp", .temporary, nil,
            .unison),
        Case(".Logs.db-journal.9aPoCe", .temporary, "Logs.db-journal", .rsync),
        Case("Logs.db", nil), Case("Logs.db-journal", nil), Case("Entities.db-wal", nil),
        Case("Logs2.db", nil), Case("Holiday 2.jpg", nil), Case("notes.partial", nil),
        Case(".DS_Store", nil), Case(".stfolder", nil), Case("", nil), Case(".", nil),
        Case("Logs .db", nil), Case(".syncthing..tmp", nil), Case("Logs.db-old", nil),
    ])
    func namesRevealTheRole(_ expected: Case) {
        let found = SyncServiceFile(name: expected.name)
        #expect(found?.role == expected.role)
        #expect(found?.original == expected.original)
        #expect(found?.service == expected.service)
        #expect(found?.explanation.isEmpty != true)
    }
}
