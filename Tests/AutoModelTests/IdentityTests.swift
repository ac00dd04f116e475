import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AutoModel

@Suite struct IdentityTests {
    @Test(arguments: 0..<8)
    func identityTableMatchesADictionary(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let objects = (0..<64).map { _ in NSObject() }
        // Few identifiers, so that many are replaced and removed, and some typical ones.
        let ids = (0..<1_000).map { _ in
            Bool.random(using: &random)
                ? .random(in: 0..<2_000) : Int64.random(in: .min ... .max, using: &random)
        }
        var table = IdentityTable()
        var plain: [Int64: ObjectIdentifier] = [:]
        for step in 0..<40_000 {
            let id = ids[.random(in: ids.indices, using: &random)]
            // The table grows and shrinks repeatedly.
            if Int.random(in: 0..<10, using: &random) < (step / 5_000 % 2 == 0 ? 8 : 2) {
                let object = ObjectIdentifier(objects[.random(in: objects.indices, using: &random)])
                table.insert(object, id)
                plain[id] = object
            } else {
                table.remove(id)
                plain[id] = nil
            }
            #expect(table[id] == plain[id])
            #expect(table.count == plain.count)
            guard step % 2_500 == 0 else { continue }
            for id in ids { #expect(table[id] == plain[id]) }
            #expect(Set(table.objects) == Set(plain.values))
        }
    }

    /// One thread releases objects while others fetch them.
    @Test func objectsDeallocatedDuringAFetchAreMadeAgain() async throws {
        try await withDatabase(Ending.self) { database in
            for id in 1...40 as ClosedRange<Int64> {
                try await Ending.create(id: id) { $0.name = "\(id)" }
            }
            try await database.saveAllChanges()
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<6 as Range<UInt64> {
                    group.addTask {
                        var random = SeededRandom(seed: task)
                        var held: [Ending?] = Array(repeating: nil, count: 8)
                        for _ in 0..<2_000 {
                            let id = Int64.random(in: 1...40, using: &random)
                            let found = database.use { try? Ending.fetch(id) }
                            #expect(found?.name == "\(id)")
                            // All users of a row have the same object.
                            for other in held where other?.id == id { #expect(other === found) }
                            held[.random(in: held.indices, using: &random)] = found
                            if id == 7 { _ = database.use { try? Ending.all.fetch() } }
                        }
                    }
                }
            }
            let table = try AutoDatabase.table(of: Ending.self)
            #expect(table.allHeld.isEmpty)
            #expect(Ending.ended.withLock { $0 } > 1_000)
        }
    }

    @Test func deletedObjectsLeaveTheCache() async throws {
        try await withDatabase(Ending.self) { database in
            let table = try AutoDatabase.table(of: Ending.self)
            let one = try await Ending.create(id: 1) { $0.name = "one" }
            #expect(table.held(1) === one)
            try await one.save()
            #expect(table.held(1) === one)
            try await one.delete()
            #expect(table.held(1) == nil)
            let other = try await Ending.create(id: 1) { $0.name = "other" }
            try await other.save()
            #expect(try await Ending.fetch(1) === other)
            withExtendedLifetime((one, other)) {}
        }
    }
}

/// An object whose deinitializer takes a while and looks for its own row.
@AutoModel final class Ending {
    static let ended = Mutex(0)
    var name = ""

    deinit {
        Self.ended.withLock { $0 += 1 }
        if id % 5 == 0 { sched_yield() }
        // By now the row has another object or none.
        #expect((try? AutoDatabase.table(of: Self.self).held(id)) !== self)
    }
}
