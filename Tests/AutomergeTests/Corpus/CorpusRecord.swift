import Foundation

@testable import Automerge

/// The fixture files. Other programs wrote them, and they aren't part of the repository.
enum Fixtures {
    /// The folder of the fixtures, or `nil`, which skips the tests that need them.
    static let folder = ProcessInfo.processInfo.environment["TIDELINE_FIXTURES"]
        .map { URL(filePath: $0).appending(path: "automerge") }

    static func data(_ name: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appending(path: name))
    }

    /// The numbers of the documents in the corpus.
    static let corpusNumbers = folder == nil ? [] : Array(0..<25)
}

/// One document of the corpus and the reference's description of it.
struct CorpusRecord: Decodable {
    struct Change: Decodable {
        let actor: String
        let deps: [String]
        let hash: String
        let message: String?
        let ops: Int
        let seq: UInt64
        let startOp: UInt64
        let time: Int64
    }

    struct Conflict: Decodable {
        let pointer: String
        let values: [String]
    }

    struct MarkedText: Decodable {
        struct Range: Decodable {
            let start: Int
            let end: Int
            let name: String
            let value: JSONValue
        }

        let pointer: String
        let marks: [Range]
    }

    struct Past: Decodable {
        let heads: [String]
        let json: JSONValue
    }

    let changes: [Change]
    let conflicts: [Conflict]
    let heads: [String]
    let json: JSONValue
    let marks: [MarkedText]
    let past: [Past]

    static func name(_ number: Int) -> String { "corpus/" + String(format: "%03d", number) }

    static func read(_ number: Int) throws -> CorpusRecord {
        try JSONDecoder().decode(
            CorpusRecord.self, from: Fixtures.data(name(number) + ".json"))
    }

    /// The distinct values of each conflict, by JSON Pointer.
    func conflictsByPointer() throws -> [String: Set<JSONValue>] {
        var result: [String: Set<JSONValue>] = [:]
        for conflict in conflicts {
            result[conflict.pointer] = Set(try conflict.values.map(JSONValue.init(parsing:)))
        }
        return result
    }

    /// The marks of each text by JSON Pointer: names and values at each marked position.
    var marksByPointer: [String: [Int: [String: JSONValue]]] {
        var result: [String: [Int: [String: JSONValue]]] = [:]
        for text in marks {
            for range in text.marks {
                for position in range.start..<range.end {
                    result[text.pointer, default: [:]][position, default: [:]][range.name] =
                        range.value
                }
            }
        }
        return result
    }

    /// The hashes of the given heads and of all their ancestors.
    func ancestors(of heads: [String]) -> Set<String> {
        let dependencies = Dictionary(uniqueKeysWithValues: changes.map { ($0.hash, $0.deps) })
        var found: Set<String> = []
        var waiting = heads
        while let hash = waiting.popLast() {
            guard found.insert(hash).inserted else { continue }
            waiting += dependencies[hash] ?? []
        }
        return found
    }
}
