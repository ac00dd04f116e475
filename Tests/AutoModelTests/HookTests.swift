import AutoModel
import Foundation
import Synchronization
import Testing

@AutoModel final class Draft {
    var text = ""
    var words = 0
    var next = Reference<Draft>(onDelete: .cascade)

    func willSave() {
        Hooks.note("willSave \(text)")
        words = text.split(separator: " ").count
    }
    func didSave() { Hooks.note("didSave \(text)") }
    func willDelete() { Hooks.note("willDelete \(text)") }
    func didDelete() { Hooks.note("didDelete \(text)") }
}

enum Hooks {
    private static let calls = Mutex<[String]>([])
    static func note(_ call: String) { calls.withLock { $0.append(call) } }
    static func take() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

@Suite(.serialized) struct HookTests {
    @Test func valuesSetInWillSaveAreSaved() throws {
        try withOpened(Draft.self) { database in
            _ = Hooks.take()
            let draft = try Draft.create { $0.text = "low tide" }
            try draft.save()
            #expect(!draft.hasChanges)
            #expect(try database.rows("SELECT words FROM Draft") == [[2]])
            draft.text = "one"
            try Draft.saveChanges()
            #expect(try database.rows("SELECT words FROM Draft") == [[1]])
            try draft.save()
            #expect(
                Hooks.take() == [
                    "willSave low tide", "didSave low tide", "willSave one", "didSave one",
                ])
        }
    }

    @Test func didSaveIsCalledAfterTheCommitOnly() throws {
        struct Stop: Error {}
        try withOpened(Draft.self) { database in
            _ = Hooks.take()
            let draft = try Draft.create { $0.text = "a" }
            #expect(throws: Stop.self) {
                try database.transaction {
                    try draft.save()
                    throw Stop()
                }
            }
            #expect(Hooks.take() == ["willSave a"])
            try database.transaction {
                try draft.save()
                #expect(Hooks.take() == ["willSave a"])
            }
            #expect(Hooks.take() == ["didSave a"])
        }
    }

    @Test func deletingCallsHooksOfObjectsInUse() throws {
        try withOpened(Draft.self) { _ in
            let first = try Draft.create { $0.text = "first" }
            let second = try Draft.create {
                $0.text = "second"
                $0.next = Reference(first)
            }
            try Draft.saveChanges()
            try Draft.create(id: 9) { $0.text = "not in use" }.save()
            _ = Hooks.take()
            try first.delete()
            #expect(second.isDeleted)
            let calls = Hooks.take()
            #expect(Set(calls.prefix(2)) == ["willDelete first", "willDelete second"])
            #expect(Set(calls.suffix(2)) == ["didDelete first", "didDelete second"])
            #expect(try Draft.all.delete() == 1)
            #expect(Hooks.take() == [])
        }
    }
}
