import Automerge
import BenchSupport
import Foundation

extension EditTrace {
    /// The length of the text after the last edit.
    var finalLength: Int {
        edits.reduce(0) { $0 + $1.inserted.unicodeScalars.count - $1.deleted }
    }
}

/// A document that contains the trace in a text.
struct TraceDocument {
    enum Changes { case one, oneAnEdit }

    let document: Document
    let text: ObjId

    /// Applies the first `count` edits of the trace; by default, all edits.
    init(_ trace: EditTrace, changes: Changes, count: Int = .max) throws {
        document = Document()
        text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        for edit in trace.edits.prefix(count) {
            try document.spliceText(
                obj: text, start: UInt64(edit.position), delete: Int64(edit.deleted),
                value: edit.inserted)
            if changes == .oneAnEdit { document.commitWith() }
        }
        if changes == .one { document.commitWith() }
    }

    init(_ document: Document) throws {
        self.document = document
        guard case .Object(let text, .Text) = try document.get(obj: .ROOT, key: "text") else {
            throw BenchError("the loaded document has no text")
        }
        self.text = text
    }

    init(file: URL) throws { try self.init(Document(Data(contentsOf: file))) }

    func read() throws -> String { try document.text(obj: text) }

    /// Checks the text, to verify that the measured work really happened.
    func check(length: Int?) throws {
        let found = try read().unicodeScalars.count
        guard length.map({ $0 == found }) ?? (found > 0) else {
            throw BenchError("the text has \(found) characters, not \(length ?? 0)")
        }
    }
}
