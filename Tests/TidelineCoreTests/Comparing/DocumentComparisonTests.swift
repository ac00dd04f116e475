import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Differences between the documents of two stores or files.
@Suite struct DocumentComparisonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lines(
        _ comparison: DocumentComparison, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
        var found: [String] = []
        try comparison.forEach { difference in
            let names = difference.subject.names.map(\.text).joined(separator: " ")
            let values = [difference.from, difference.to].map { $0.value?.json.line ?? "-" }
            found.append("\(difference.change) \(names) \(values.joined(separator: " "))")
        } warn: {
            Issue.record("\($0): \($1)", sourceLocation: sourceLocation)
        }
        return found
    }

    private func file(_ document: Document) throws -> AutomergeFile {
        let path = folder.appending("\(UUID().uuidString).automerge")
        try document.save().write(to: URL(filePath: path))
        return try AutomergeFile(path)
    }

    private func compared(_ from: Document, _ to: Document) throws -> [String] {
        try lines(DocumentComparison(from: .init(.file(file(from))), to: .init(.file(file(to)))))
    }

    @Test func placesThatDifferAreListedWithTheirValues() throws {
        let old = try DocumentSamples.everyKind()
        let new = old.fork()
        new.actor = try DocumentSamples.actor(2)
        try new.put(obj: .ROOT, key: "string", value: .String("é"))
        try new.delete(obj: .ROOT, key: "null")
        try new.increment(obj: .ROOT, key: "counter", by: 2)
        let map = try new.putObject(obj: .ROOT, key: "a/b", ty: .Map)
        try new.put(obj: map, key: "k", value: .Int(1))
        guard case .Object(let text, _)? = try new.get(obj: .ROOT, key: "text") else {
            throw CoreError(.badData, "no text")
        }
        try new.spliceText(obj: text, start: 2, delete: 0, value: "llo")
        #expect(
            try Set(compared(old, new)) == [
                #"changed /string "a\"b" "é""#, "removed /null null -", "changed /counter 5 7",
                #"added /a~1b - {"k":1}"#, #"changed /text "hé" "héllo""#,
            ])
        #expect(try compared(old, old).isEmpty)
    }

    @Test func copyWithoutTheNewestChangesIsBehind() throws {
        let old = try DocumentSamples.everyKind()
        let new = old.fork()
        new.actor = try DocumentSamples.actor(2)
        try new.put(obj: .ROOT, key: "bool", value: .Boolean(false))
        #expect(try compared(new, old) == ["notArrived /bool false true"])
        // If the document has changes that the other lacks, it isn't only behind.
        let other = old.fork()
        other.actor = try DocumentSamples.actor(3)
        try other.put(obj: .ROOT, key: "own", value: .Int(1))
        #expect(
            try Set(compared(new, other)) == ["changed /bool false true", "added /own - 1"])
    }

    @Test func documentsWithoutCommonChangesAreCompared() throws {
        let one = try DocumentSamples.document(1)
        try one.put(obj: .ROOT, key: "a", value: .Int(1))
        let two = try DocumentSamples.document(2)
        try two.put(obj: .ROOT, key: "b", value: .Int(2))
        #expect(try Set(compared(one, two)) == ["removed /a 1 -", "added /b - 2"])
    }

    @Test func writersOfSingleValuesAreKnown() throws {
        let package = try DocumentPackage()
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
        try package.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Journey"))
            try document.increment(obj: .ROOT, key: "nights", by: 1)
        }
        let stores = try [copy, package.path].map { path in
            try DocumentPackage.open(try StorePackage(opening: path), nil)
        }
        for store in stores { try store.load() }
        let sides = stores.map { DatedStore(DocumentComparison.Source.store($0)) }
        var writers: [String?] = []
        try DocumentComparison(from: sides[0], to: sides[1]).forEach {
            writers.append($0.to.device?.name)
        } warn: {
            Issue.record("\($0): \($1)")
        }
        #expect(writers == ["ben", "ben"])
    }

    @Test func documentsOfPackagesAreMatchedByIdentifier() throws {
        let package = try DocumentPackage()
        let copy = folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
        try package.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Journey"))
        }
        let stores = try [package.path, copy].map { path in
            try DocumentPackage.open(try StorePackage(opening: path), nil)
        }
        for store in stores { try store.load() }
        let sides = stores.map { DatedStore(DocumentComparison.Source.store($0)) }
        let id = package.plans.uuidString
        #expect(
            try lines(DocumentComparison(from: sides[1], to: sides[0]))
                == [#"changed \#(id) /title "Trip" "Journey""#])
        #expect(
            try lines(DocumentComparison(from: sides[0], to: sides[1]))
                == [#"notArrived \#(id) /title "Journey" "Trip""#])
        #expect(
            try lines(DocumentComparison(from: sides[0], to: sides[1], prefix: "-")).isEmpty)
    }
}
