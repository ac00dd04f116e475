import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Damages every page of this device's own log in turn.
@Suite struct DoctorPageDamageTests {
    private static let log = DoctorStage.annasLog

    /// Returns the rows of a damaged log that SQLite can read one by one.
    private func readable(_ path: String, upTo last: Int64) throws -> Set<DoctorStage.Said> {
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            return []
        }
        var found: Set<DoctorStage.Said> = []
        for id in 1...last {
            let row = try? queue.read {
                try Row.fetchOne(
                    $0,
                    sql: """
                        SELECT CAST(timestamp AS INTEGER) AS t, CAST(key AS TEXT) AS k, value
                        FROM log NOT INDEXED WHERE id = ? AND typeof(timestamp) = 'integer'
                        """, arguments: [id])
            }
            guard let row, let timestamp = row.integer("t"), let key = row.text("k") else {
                continue
            }
            found.insert(
                DoctorStage.Said(
                    timestamp: Timestamp(microseconds: timestamp), key: Name(key),
                    bytes: row["value"] as Data?))
        }
        try? queue.close()
        return found
    }

    @Test(arguments: [512, 4096], PageDamage.allCases)
    func everyDamagedPageIsNamedAndEveryReadableRowKept(_ size: Int, _ damage: PageDamage) throws {
        let stage = try DoctorStage()
        for number in 0..<80 {
            try stage.shared.write(
                "anna", [Name("more/\(number % 20)"): .string("value \(number)")])
        }
        try stage.shared.store("anna").close()
        let path = stage.path(Self.log)
        try runSQL("PRAGMA page_size = \(size); VACUUM", at: path, isTransaction: false)
        let sound = try stage.data(Self.log)
        let all = try stage.rows("anna")
        #expect(all.count == 88)
        var random = SeededRandom(seed: 12)
        for page in PageDamage.pages(of: sound.count / size, quick: 8) {
            let place: Comment = "page \(page)"
            let damaged = damage.applied(to: sound, page: page, of: size, using: &random)
            try stage.write(damaged, Self.log)
            let wanted = try readable(path, upTo: 88)
            let found = try stage.findings().filter { $0.file == Self.log && $0.severity > .note }
            // Half a page can lie within a value, which SQLite doesn't checksum.
            if damage != .torn { #expect(!found.isEmpty, place) }
            let repairs = try stage.doctor().repair().repairs
            if let repair = repairs.first(where: \.isDone) {
                #expect(repair.kept == path + ".old", place)
                #expect(try stage.data(Self.log + ".old") == damaged, place)
                let after = try stage.rows("anna")
                // A torn page can change a value undetected. So can the one long value, because it
                // has its own pages, which SQLite doesn't checksum.
                if damage != .torn {
                    let others = after.filter { $0.key != "note/3/raw" }
                    #expect(others.isSubset(of: all), place)
                    #expect(wanted.isSubset(of: after), place)
                }
                #expect(after.count >= wanted.count, place)
                if damage == .zeroed || damage == .overwritten {
                    #expect(after.count > 88 - size / 16, place)
                }
                #expect(try stage.doctor().repair().repairs == [], place)
                #expect(
                    !(try stage.findings()).contains {
                        $0.file == Self.log && $0.severity == .error
                    }, place)
                try FileManager.default.removeItem(atPath: path + ".old")
            } else if damage != .torn {
                let isOneValue = found.allSatisfy { $0.code == "values" }
                #expect(wanted.isEmpty || isOneValue, place)
                #expect(try stage.data(Self.log) == damaged, place)
            }
        }
    }
}
