import Automerge
import Foundation
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func readmeExampleRuns() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "Notes.automerge")
        // begin
        let document = Document()
        let notes = try document.putObject(obj: .ROOT, key: "notes", ty: .Text)
        try document.spliceText(obj: notes, start: 0, delete: 0, value: "Low tide at six")
        let copy = document.fork()
        try copy.spliceText(obj: notes, start: 0, delete: 3, value: "High")
        try document.merge(other: copy)
        try document.save().write(to: file)
        let again = try Document(Data(contentsOf: file))
        // end
        #expect(try again.text(obj: notes) == "High tide at six")
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
