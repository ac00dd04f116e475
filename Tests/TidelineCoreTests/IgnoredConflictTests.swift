import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Conflicts that the user ignores, which are stored between runs.
@Suite struct IgnoredConflictTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func kept(_ store: String = "/srv/Notes.store") -> IgnoredConflictsFile {
        UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
            .ignoredConflicts(ofStoreAt: store)
    }

    private func conflict(_ instants: Int64...) throws -> RowConflict {
        RowConflict(
            sides: try instants.enumerated().map { number, instant in
                RowConflict.Side(
                    author: .device(try DeviceID("d\(number)")), value: "",
                    instant: Timestamp(microseconds: instant), isWinner: number == 0, reason: "",
                    typed: nil)
            })
    }

    private func mark(_ row: String, _ note: String = "") throws -> IgnoredConflict {
        IgnoredConflict(
            ConflictPlace(part: "keys", row: RowID(row)), try conflict(1, 2), note: note,
            date: Date(timeIntervalSinceReferenceDate: 1))
    }

    @Test func ignoredConflictsPersistUntilUnignored() throws {
        #expect(try kept().marks().isEmpty)
        try kept().keep(mark("a", "why not"))
        try kept().keep(mark("b"))
        try kept("/srv/Other.store").keep(mark("c"))
        #expect(try kept().marks().keys.map(\.row).sorted() == ["a", "b"])
        #expect(try kept().marks().values.first { $0.place.row == "a" }?.note == "why not")
        var withdrawn = try mark("a")
        withdrawn.isWithdrawn = true
        try kept().keep(withdrawn)
        #expect(try kept().marks().keys.map(\.row) == ["b"])
        try kept().keep(mark("b", "said anew"))
        #expect(try kept().marks().values.map(\.note) == ["said anew"])
    }

    @Test func ignoredConflictsArePrivateToTheUser() throws {
        try kept().keep(mark("a"))
        let attributes = try FileManager.default.attributesOfItem(atPath: kept().path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func ignoringAppliesOnlyToTheSameSides() throws {
        let mark = try mark("a")
        #expect(mark.isAbout(try conflict(1, 2)))
        #expect(!mark.isAbout(try conflict(1, 3)))
        #expect(!mark.isAbout(try conflict(1, 2, 3)))
    }
}
