import Automerge
import Foundation
import Replication
import TestSupport

@testable import TidelineCore

/// Sample documents.
enum DocumentSamples {
    static func actor(_ byte: UInt8) throws -> ActorId {
        guard let actor = ActorId(data: Data([byte])) else { throw CoreError(.usage, "no actor") }
        return actor
    }

    static func document(_ byte: UInt8) throws -> Document {
        let document = Document()
        document.actor = try actor(byte)
        return document
    }

    /// A map with a value of every kind, by the actor `01`, in one change.
    static func everyKind() throws -> Document {
        let document = try document(1)
        try document.put(obj: .ROOT, key: "bool", value: .Boolean(true))
        try document.put(obj: .ROOT, key: "bytes", value: .Bytes(Data([0, 255])))
        try document.put(obj: .ROOT, key: "counter", value: .Counter(5))
        try document.put(obj: .ROOT, key: "null", value: .Null)
        try document.put(obj: .ROOT, key: "real", value: .F64(1))
        try document.put(obj: .ROOT, key: "string", value: .String("a\"b"))
        try document.put(
            obj: .ROOT, key: "time", value: .Timestamp(Date(timeIntervalSince1970: -1.5)))
        try document.put(obj: .ROOT, key: "uint", value: .Uint(.max))
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        try document.insert(obj: list, index: 0, value: .Int(.min))
        _ = try document.insertObject(obj: list, index: 1, ty: .Map)
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "hé")
        document.commitWith(message: "all", timestamp: Date(timeIntervalSince1970: 1_000_000_000))
        return document
    }

    /// `/a/b~c` (with a slash) was written by the actors `01` and `02` at once: a string and a map.
    /// The map, of the greater operation, is shown.
    static func conflicting() throws -> Document {
        let one = try document(1)
        let map = try one.putObject(obj: .ROOT, key: "a", ty: .Map)
        one.commitWith(message: "base", timestamp: Date(timeIntervalSince1970: 1_000_000_000))
        let two = one.fork()
        two.actor = try actor(2)
        try one.put(obj: map, key: "b~/c", value: .String("mine"))
        one.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 0))
        let inner = try two.putObject(obj: map, key: "b~/c", ty: .Map)
        try two.put(obj: inner, key: "k", value: .Int(1))
        two.commitWith(message: "theirs", timestamp: Date(timeIntervalSince1970: 900_000_000))
        try one.merge(other: two)
        return one
    }

    static func write(_ document: Document, to folder: TemporaryFolder) throws -> String {
        let path = folder.appending("sample.automerge")
        try document.save().write(to: URL(filePath: path))
        return path
    }
}
