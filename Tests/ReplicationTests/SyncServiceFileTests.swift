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
        Case("Logs.db", nil), Case("Logs.db-journal", nil), Case("Entities.db-wal", nil),
        Case("Logs2.db", nil), Case("Holiday 2.jpg", nil), Case("notes.partial", nil),
        Case(".DS_Store", nil), Case(".stfolder", nil), Case("", nil), Case(".", nil),
        Case("Logs .db", nil), Case(".syncthing..tmp", nil), Case("Logs.db-old", nil),
    ])
    func namesTellWhatTheyAre(_ expected: Case) {
        let found = SyncServiceFile(name: expected.name)
        #expect(found?.role == expected.role)
        #expect(found?.original == expected.original)
        #expect(found?.service == expected.service)
    }
}
