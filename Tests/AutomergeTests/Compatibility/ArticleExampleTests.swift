import Automerge
import Foundation
import TestSupport
import Testing

@Suite struct ArticleExampleTests {
    @Test func articleExampleRuns() throws {
        // begin
        let document = Document()
        let tasks = try document.putObject(obj: .ROOT, key: "tasks", ty: .List)
        try document.insert(obj: tasks, index: 0, value: .String("water the plants"))

        // Another device edits its own copy, at the same time.
        let other = document.fork()
        try other.insert(obj: tasks, index: 1, value: .String("feed the cat"))
        try document.put(obj: .ROOT, key: "owner", value: .String("Ada"))

        try document.merge(other: other)
        print(try document.values(obj: tasks).count)  // 2

        let bytes = document.save()
        let loaded = try Document(bytes)
        print(loaded.heads() == document.heads())  // true
        // end
        #expect(loaded.heads() == document.heads())
        #expect(try document.values(obj: tasks).count == 2)
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
