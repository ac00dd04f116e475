import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Differences between the entities of two stores, and of one store at two instants.
@Suite struct EntityComparisonTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let copy: String
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
        copy = folder.appending("Copy.store")
    }

    private func open(
        _ device: String?, _ package: StorePackage? = nil
    ) async throws -> EntityStore {
        try await EntityStore.open(package ?? self.package, as: device, at: clock)
    }

    private func write(
        _ device: String = "desk", in package: StorePackage? = nil,
        _ body: (EntityStore) async throws -> Void
    ) async throws {
        clock.advance(microseconds: 1_000_000)
        let store = try await open(device, package)
        try await body(store)
        await store.close()
    }

    /// The differences as `CHANGE ENTITY PROPERTY FROM TO`.
    private func compared(
        _ from: String, _ to: String, at instants: (Timestamp?, Timestamp?) = (nil, nil),
        prefix: String = ""
    ) async throws -> [String] {
        let old = try await open(nil, StorePackage(opening: from))
        let new = try await open(nil, StorePackage(opening: to))
        var found: [String] = []
        try await EntityComparison(
            from: .init(old, at: instants.0), to: .init(new, at: instants.1), prefix: prefix
        ).forEach { difference in
            let names = difference.subject.names.map(\.text).joined(separator: " ")
            let values = [difference.from, difference.to].map { $0.value?.json.line ?? "-" }
            found.append("\(difference.change) \(names) \(values.joined(separator: " "))")
        } warn: {
            Issue.record("\($0): \($1)")
        }
        await old.close()
        await new.close()
        return found
    }

    private func makeCopy() throws {
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
    }

    @Test func propertiesOfBothSidesAreCompared() async throws {
        try await write {
            try await $0.add([
                (.new("note", identifier: "a"), ["title": "one", "count": 1, "same": true]),
                (.new("note", identifier: "b"), ["title": "b"]),
                (.new("note", identifier: "é"), ["title": "same"]),
            ])
        }
        try makeCopy()
        #expect(try await compared(package.path, copy) == [])
        let other = try StorePackage(opening: copy)
        try await write("phone", in: other) {
            try await $0.set([(.identifier("a"), ["title": "two", "new": 2.5])])
            try await $0.add([(.new("book", identifier: "c"), [:])])
            _ = try await $0.delete([.identifier("b")])
        }
        let expected = [
            #"added a new - 2.5"#, #"changed a title "one" "two""#, #"removed b type "note" -"#,
            #"removed b title "b" -"#, #"added c type - "book""#,
        ]
        #expect(try await compared(package.path, copy) == expected)
        #expect(try await compared(package.path, copy, prefix: "c") == [expected[4]])
    }

    @Test func rowThatACopyLacksHasNotArrived() async throws {
        try await write { try await $0.add([(.new("note", identifier: "a"), ["title": "one"])]) }
        try makeCopy()
        try await write { try await $0.set([(.identifier("a"), ["title": "two"])]) }
        #expect(try await compared(package.path, copy) == [#"notArrived a title "two" "one""#])
        #expect(try await compared(copy, package.path) == [#"changed a title "one" "two""#])
        // A later write of another device replaces it, whether or not it arrives.
        let other = try StorePackage(opening: copy)
        try await write("phone", in: other) {
            try await $0.set([(.identifier("a"), ["title": "three"])])
        }
        #expect(try await compared(package.path, copy) == [#"changed a title "two" "three""#])
    }

    @Test func storeIsComparedAtTwoInstants() async throws {
        try await write { try await $0.add([(.new("note", identifier: "a"), ["title": "one"])]) }
        let first = clock.now
        try await write { try await $0.set([(.identifier("a"), ["title": "two"])]) }
        let path = package.path
        #expect(
            try await compared(path, path, at: (first, nil)) == [#"changed a title "one" "two""#])
        #expect(
            try await compared(path, path, at: (nil, first)) == [#"changed a title "two" "one""#])
        #expect(try await compared(path, path, at: (first, first)) == [])
    }
}
