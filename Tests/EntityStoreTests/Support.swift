import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// The kinds of stores that the tests cover.
enum BackingKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, package

    var testDescription: String { rawValue }

    /// An empty store, and its folder if it has one.
    func makeStore(clock: TestClock = TestClock()) async throws -> (EntityStore, TemporaryFolder) {
        let folder = try TemporaryFolder()
        switch self {
        case .memory: return (try EntityStore.inMemory(clock: clock.hybrid), folder)
        case .package:
            let package = try StorePackage(creating: folder.appending("Notes.store"))
            let store = try await EntityStore.open(
                package, device: DeviceID("anna"), configuration: .init(clock: clock.hybrid))
            return (store, folder)
        }
    }
}

extension EntityStore {
    /// Creates an entity for each name and returns their references.
    func make(_ type: String, _ names: String...) throws -> [EntityReference] {
        try add(
            names.map {
                (.new(type, identifier: $0), ["name": .string($0)])
            })
    }

    func value(_ key: String, of reference: EntityReference) throws -> EntityValue? {
        try properties([key], of: [reference])[0]?[value: key]
    }

    func identifiers(_ query: EntityQuery = .all) throws -> [String] {
        try entities(query).map { $0.identifier ?? "" }
    }
}

/// Waits for the next change event of a store.
func nextChange(
    _ events: inout AsyncStream<EntityStore.Event>.Iterator
) async -> EntityChanges? {
    while let event = await events.next() {
        if case .changed(let changes) = event.kind { return changes }
    }
    return nil
}

func expectError(
    _ code: EntityStoreError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async -> String {
    do {
        try await body()
        Issue.record("no error was thrown", sourceLocation: sourceLocation)
    } catch let error as EntityStoreError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error.message
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
    return ""
}

/// One value of each kind.
let everyKind: PropertyDictionary = [
    "a string": "日本 \"quoted\"\n\u{1b}[31m", "an integer": .integer(.min), "a double": 1e300,
    "a whole double": .double(3), "a boolean": true,
    "a date": .date(Timestamp(microseconds: 597_340_427_993_321)),
    "data": .data(Data([0, 1, 255])), "no data": .data(Data()), "an empty string": "",
    "an array": [1, "two", [3.5, false], ["$data": "x"], .date(Timestamp(microseconds: 1))],
    "a dictionary": ["a": 1, "b": ["c": .data(Data([9]))]], "an empty array": [],
    "marked": ["$date": "not a date"],
]
