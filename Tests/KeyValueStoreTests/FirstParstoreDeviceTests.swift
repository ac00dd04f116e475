import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

/// A package whose first log in PARStore 1's format is created here.
@Suite struct FirstParstoreDeviceTests {
    private func first(_ fixture: StoreFixture) throws -> KeyValueStore {
        let store = try fixture.store("a") { $0.format = .parstore1 }
        try store.createLog()
        return store
    }

    @Test func emptyLogDeterminesTheFormatOfLaterLogs() throws {
        let fixture = try StoreFixture()
        let store = try first(fixture)
        #expect(store.devices.map(\.format) == [.parstore1])
        #expect(store.devices.map(\.state) == [.ok])
        #expect(store.rowCount == 0)
        try store.close()
        // From here on, no store requests a format.
        for device in ["a", "b"] {
            let store = try fixture.store(device)
            try store.set(.string(device), forKey: "k")
            try store.set(.string(device), forKey: device)
            try store.save()
            let format = store.devices.first { $0.isOwn }?.format
            #expect(format == .parstore1)
        }
        let reader = try fixture.store(nil)
        #expect(reader.everything == ["k": "b", "a": "a", "b": "b"])
        #expect(reader.conflictCount == 0)
        #expect(try fixture.query("a", "SELECT Z_ENT FROM ZLOG") as [Int?] == [1, 1])
        #expect(
            try fixture.query("b", "SELECT ZKEY FROM ZLOG ORDER BY Z_PK") as [String?] == [
                "k", "b",
            ])
        // A row names the newest row that its writer had seen, from any device.
        let parents: [Int64?] = try fixture.query(
            "b", "SELECT ZPARENTTIMESTAMP FROM ZLOG ORDER BY Z_PK")
        let known: [Int64?] = try fixture.query(
            "a", "SELECT ZTIMESTAMP FROM ZLOG WHERE ZKEY = 'k'")
        #expect(parents == [known.first ?? nil, nil])
    }

    @Test func firstWriteCreatesTheLog() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a") { $0.format = .parstore1 }
        try store.set(1, forKey: "k")
        try store.save()
        try store.createLog()
        #expect(try fixture.query("a", "SELECT count(*) FROM ZLOG") as [Int?] == [1])
        #expect(try fixture.query("a", "SELECT Z_MAX FROM Z_PRIMARYKEY") as [Int64?] == [1])
        #expect(try fixture.store("a")["k"] == 1)
    }

    @Test func tablesMatchThoseOfCoreDataFiles() throws {
        let fixture = try StoreFixture()
        try first(fixture).close()
        _ = try ParstoreFile(at: fixture.logPath("other"))
        for sql in [
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
            "SELECT name || tbl_name FROM sqlite_master WHERE type = 'index' ORDER BY name",
            """
            SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.pk
            FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
            WHERE m.type = 'table' ORDER BY m.name, c.cid
            """,
            """
            SELECT m.name || ' ' || c.name FROM sqlite_master AS m, pragma_index_info(m.name) AS c
            WHERE m.type = 'index' ORDER BY m.name, c.seqno
            """,
            "SELECT Z_ENT || ' ' || Z_NAME || ' ' || Z_SUPER || ' ' || Z_MAX FROM Z_PRIMARYKEY",
            "SELECT Z_VERSION || ' ' || length(Z_UUID) FROM Z_METADATA",
        ] {
            let own: [String?] = try fixture.query("a", sql)
            #expect(try own == fixture.query("other", sql), "\(sql)")
            #expect(!own.isEmpty, "\(sql)")
        }
        for (pragma, value) in [("auto_vacuum", 2), ("page_size", 4096)] {
            #expect(try fixture.query("a", "PRAGMA \(pragma)") as [Int?] == [value])
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.logPath("a") + "-wal"))
    }

    @Test func metadataHasNoInventedHashes() throws {
        let fixture = try StoreFixture()
        try first(fixture).close()
        let stored: [Data?] = try fixture.query("a", "SELECT Z_PLIST FROM Z_METADATA")
        let list = try PropertyList(binary: try #require(stored.first ?? nil))
        guard case .dictionary(let metadata) = list else {
            Issue.record("no dictionary")
            return
        }
        #expect(metadata["NSStoreType"] == "SQLite")
        #expect(metadata["NSStoreModelVersionHashes"] == nil)
    }

    @Test func sqliteProgramReadsTheLog() throws {
        guard let program = Programs.installed("sqlite3") else { return }
        let fixture = try StoreFixture()
        let store = try first(fixture)
        try store.set("hello", forKey: "k")
        try store.close()
        let output = try Programs.run(
            program,
            [
                "-readonly", fixture.logPath("a"),
                "PRAGMA integrity_check; SELECT ZKEY, instr(ZBLOB, 'hello') > 0, Z_PK, Z_OPT FROM ZLOG",
            ], environment: [:], in: fixture.folder)
        #expect(output == "ok\nk|1|1|1\n")
    }

    @Test func existingLogKeepsItsFormat() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "k")
        try store.close()
        let again = try first(fixture)
        #expect(again.devices.map(\.format) == [.tideline2])
        #expect(again["k"] == 1)
        #expect(throws: KeyValueError.self) { try fixture.store(nil).createLog() }
    }
}
