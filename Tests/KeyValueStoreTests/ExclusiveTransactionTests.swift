import Dispatch
import KeyValueStore
import Replication
import Synchronization
import TestSupport
import Testing

/// The guarantees of transactions for threads that use one store concurrently.
@Suite(.timeLimit(.minutes(30))) struct ExclusiveTransactionTests {
    private static func integer(_ value: PropertyList?) -> Int64 {
        if case .integer(let number)? = value { Int64(number) } else { 0 }
    }

    @Test func noIncrementOfManyThreadsIsLost() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        let failures = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<250 {
                do {
                    try store.transaction { transaction in
                        let count = Self.integer(transaction["count"])
                        try transaction.set(.integer(count + 1), forKey: "count")
                    }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(store["count"] == 2_000)
        try store.save()
        #expect(try fixture.store(nil)["count"] == 2_000)
        #expect(try store.rowCount(.init(key: "count")) == 2_000)
    }

    @Test func readerNeverSeesAPartialTransaction() throws {
        let store = try StoreFixture().store("a")
        try store.set(contentsOf: ["from": 1_000, "to": 0])
        let isDone = Mutex(false)
        let wrong = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            if thread == 0 {
                for _ in 0..<500 {
                    try? store.transaction { transaction in
                        let from = Self.integer(transaction["from"])
                        let to = Self.integer(transaction["to"])
                        try transaction.set(.integer(from - 1), forKey: "from")
                        try transaction.set(.integer(to + 1), forKey: "to")
                    }
                }
                isDone.withLock { $0 = true }
                return
            }
            while !isDone.withLock({ $0 }) {
                let seen = store.dictionary()
                let sum = Self.integer(seen["from"]) + Self.integer(seen["to"])
                if sum != 1_000 { wrong.withLock { $0.append("dictionary: \(sum)") } }
                let held = try? store.transaction { transaction in
                    Self.integer(transaction["from"]) + Self.integer(transaction["to"])
                }
                if held != 1_000 {
                    wrong.withLock { $0.append("transaction: \(String(describing: held))") }
                }
            }
        }
        #expect(wrong.withLock { $0 }.isEmpty)
        #expect(store.everything == ["from": 500, "to": 500])
    }

    @Test func foreignRowsStayInvisibleInsideATransaction() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        let other = try fixture.store("b")
        try other.set("theirs", forKey: "k")
        try other.save()
        let begun = DispatchSemaphore(value: 0)
        let ended = DispatchGroup()
        try store.transaction { transaction in
            DispatchQueue.global().async(group: ended) {
                begun.signal()
                try? store.sync()
                try? store.set("another thread's", forKey: "l")
            }
            begun.wait()
            for _ in 0..<1_000 {
                #expect(transaction["k"] == nil && transaction["l"] == nil)
                #expect(store["k"] == nil && store.count == 0)
            }
            try transaction.set("own", forKey: "own")
        }
        ended.wait()
        #expect(store.everything == ["k": "theirs", "l": "another thread's", "own": "own"])
    }

    @Test func transactionReadsItsOwnChanges() throws {
        let store = try StoreFixture().store("a")
        try store.set(contentsOf: ["a/1": 1, "a/2": 2, "b": 3])
        try store.transaction { transaction in
            #expect(transaction.keys == ["a/1", "a/2", "b"])
            try transaction.set(20, forKey: "a/2")
            try transaction.set(0, forKey: "a/0")
            try transaction.removeValue(forKey: "a/1")
            try transaction.removeValue(forKey: "never there")
            try transaction.set("c", forKey: "c")
            #expect(transaction.keys == ["a/0", "a/2", "b", "c"])
            #expect(transaction.keys(prefix: "a/") == ["a/0", "a/2"])
            #expect(transaction.dictionary() == ["a/0": 0, "a/2": 20, "b": 3, "c": "c"])
            #expect(transaction.dictionary(prefix: "a/") == ["a/0": 0, "a/2": 20])
            #expect(store.keys == ["a/1", "a/2", "b"])
        }
        #expect(store.everything == ["a/0": 0, "a/2": 20, "b": 3, "c": "c"])
    }

    @Test func fileOperationsAreRefusedInsideATransaction() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(1, forKey: "k")
        let refused = Mutex<[KeyValueError.Code]>([])
        let calls: [(KeyValueStore) throws -> Void] = [
            { try $0.save() }, { try $0.sync() }, { try $0.load() }, { try $0.close() },
            { try $0.save(orWithdraw: ["k"]) }, { try $0.withdrawUnsavedChanges() },
            { try $0.createLog() },
            { try $0.insertChanges([], into: DeviceID("a"), appendOnly: true) },
        ]
        try store.transaction { transaction in
            for call in calls {
                do {
                    try call(store)
                } catch let error as KeyValueError {
                    refused.withLock { $0.append(error.code) }
                }
            }
            try transaction.set(2, forKey: "k")
        }
        #expect(
            refused.withLock { $0 } == Array(repeating: .insideTransaction, count: calls.count))
        #expect(store["k"] == 2)
        try store.save()
        #expect(try fixture.store(nil)["k"] == 2)
    }

    @Test func storeTransactionInsideAnotherIsSeparate() throws {
        struct Failure: Error {}
        let store = try StoreFixture().store("a")
        #expect(throws: Failure.self) {
            try store.transaction { outer in
                try outer.set(1, forKey: "outer")
                try store.transaction { try $0.set(1, forKey: "inner") }
                #expect(outer["inner"] == 1)
                throw Failure()
            }
        }
        #expect(store.everything == ["inner": 1])
        // The lock was released.
        DispatchQueue.concurrentPerform(iterations: 2) {
            try? store.set(.integer(Int64($0)), forKey: "\($0)")
        }
        #expect(store.count == 3)
    }
}
