import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Conflicts, time travel, and reverting while the store has pending rows.
@Suite struct UnsavedRowTests {
    private static func summary(_ row: LogRow?) throws -> String {
        guard let row else { return "none" }
        return try "\(row.device) \(row.timestamp.microseconds) \(row.value()?.description ?? "-")"
    }

    private static func summary(_ conflicts: [KeyValueStore.Conflict]) throws -> [String] {
        try conflicts.map { conflict in
            let rows = try conflict.rows.map(summary).joined(separator: ", ")
            return try "\(conflict.key): \(rows); \(summary(conflict.base)); "
                + "\(conflict.isPossible) \(conflict.unread)"
        }
    }

    /// A store's conflicts, present and past, and the effects of reverting its own rows.
    private static func answers(_ store: KeyValueStore, _ now: Timestamp) throws -> [String] {
        var answers = try summary(store.conflicts())
        answers += try summary(store.conflicts(at: now)).map { "past " + $0 }
        let list = try store.entryList(at: now)
        answers.append("\(list.count) keys")
        for key in (0..<40).map({ "key/\($0)" }) {
            guard let own = store.ownTimestamp(forKey: key) else { continue }
            let result = Result { try store.reversion(key, writtenAt: own) }
            switch result {
            case .success(let plan):
                let value = try plan.value()?.description ?? "-"
                answers.append("\(key): \(value) \(plan.reopened) \(plan.losesConflict)")
            case .failure(let error): answers.append("\(key): \(error)")
            }
        }
        return answers
    }

    @Test(arguments: [false, true])
    func pendingRowsCountLikeSavedOnes(mixed: Bool) throws {
        for seed in seeds(6) {
            var random = SeededRandom(seed: seed)
            let (fixture, _) = try ConflictListingTests.history(seed, mixed: mixed)
            let store = try fixture.store("device 0")
            let other = try fixture.store("device 1")
            for round in 0..<30 {
                fixture.clock.advance(microseconds: 10)
                let writer = round % 3 == 0 ? other : store
                let key = "key/\(Int.random(in: 0..<40, using: &random))"
                let value = Int64.random(in: 0..<4, using: &random)
                try writer.set(value == 0 ? nil : .integer(value), forKey: key)
                if let conflict = try store.conflicts().randomElement(using: &random),
                    round % 5 == 0
                {
                    try store.resolve(conflict, with: .integer(Int64(round)))
                }
            }
            try other.save()
            try store.sync()
            fixture.clock.advance(microseconds: 1_000)
            let now = fixture.clock.now
            try #require(store.hasUnsavedChanges)
            let before = try Self.answers(store, now)
            #expect(store.hasUnsavedChanges, "seed \(seed): looking wrote")
            try store.save()
            let after = try Self.answers(store, now)
            #expect(before.filter { !after.contains($0) } == [], "seed \(seed)")
            #expect(after.filter { !before.contains($0) } == [], "seed \(seed)")
        }
    }

    @Test func pendingRowCanBeReverted() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("anna")
        try store.set("first", forKey: "key")
        fixture.clock.advance(microseconds: 1_000)
        try store.set("second", forKey: "key")
        let time = try #require(store.ownTimestamp(forKey: "key"))
        try store.revert([store.reversion("key", writtenAt: time)])
        #expect(store.hasUnsavedChanges)
        #expect(store.value(forKey: "key") == "first")
        try store.close()
        #expect(try fixture.store(nil).value(forKey: "key") == "first")
    }
}
