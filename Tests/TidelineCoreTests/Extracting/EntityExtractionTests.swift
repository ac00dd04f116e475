import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Entities that are copied into a new package.
@Suite struct EntityExtractionTests {
    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func extractShowsTheSameAsTheOriginal(isRedacted: Bool) async throws {
        for seed in 0..<25 {
            let store = try await RandomEntityStore(seed: UInt64(seed))
            let redaction = try isRedacted ? store.redaction() : nil
            let chosen = store.entities.prefix(4)
            let output = try StorePackage(creating: store.folder.appending("Small.store"))
            _ = try EntityLogCopy.copyRows(
                of: Set(chosen.map { Name($0) }), from: store.package, to: output,
                redaction: redaction)
            let expected = try await EntityStoreState(store.package, Array(chosen), redaction)
            let found = try await EntityStoreState(
                output, chosen.map { redaction?.text($0) ?? $0 }, nil)
            try #require(found == expected, "seed \(seed)")
            guard redaction != nil else { continue }
            #expect(try FolderBytes(output.path).contents(in: store.words).isEmpty)
        }
    }

    @Test func logWithMissingRowsIsRefused() async throws {
        let store = try await RandomEntityStore(seed: 1)
        let output = store.folder.appending("Small.store")
        let folder = "\(store.package.path)/Devices/\(store.devices[0])"
        var extraction = Extraction()
        extraction.entities = Set(store.entities.map { Name($0) })
        try runSQL("DELETE FROM log WHERE id = 1", at: folder + "/Entities.db")
        let gap = #expect(throws: ReplicationError.self) {
            try extraction.write(store.package, keys: nil, to: output)
        }
        #expect(gap?.code == .incomplete && gap?.message.contains(store.devices[0]) == true)
        try FileManager.default.moveItem(
            atPath: folder + "/Entities.db", toPath: folder + "/.Entities.db.icloud")
        let placeholder = #expect(throws: ReplicationError.self) {
            try extraction.write(store.package, keys: nil, to: output)
        }
        #expect(placeholder?.code == .incomplete)
        #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test func missingEntityIsRefused() async throws {
        let store = try await RandomEntityStore(seed: 1)
        let output = store.folder.appending("Small.store")
        var extraction = Extraction()
        extraction.entities = ["none"]
        let error = #expect(throws: EntityStoreError.self) {
            try extraction.write(store.package, keys: nil, to: output)
        }
        #expect(error?.code == .noSuchEntity)
        #expect(!FileManager.default.fileExists(atPath: output))
    }
}

/// The visible state of some entities of a store, with replaced contents if there is a redaction,
/// and without the numbers of rows.
private struct EntityStoreState: Equatable {
    struct Entry: Hashable {
        @Name var key: String
        let value: EntityValue
        @Name var type: String
        let device: DeviceID
        let author: DeviceID
        let written: Timestamp
        let datestamp: Timestamp?
        let isRemoved: Bool
        let isCurrent: Bool
    }

    struct Conflict: Hashable {
        @Name var entity: String
        @Name var key: String
        let sides: [Entry]
        let base: Entry?
    }

    var types: [Name: Name] = [:]
    var entries: [Name: Set<Entry>] = [:]
    var conflicts: Set<Conflict> = []

    init(_ package: StorePackage, _ entities: [String], _ redaction: Redaction?) async throws {
        func text(_ text: String) -> String { redaction?.text(text) ?? text }
        func device(_ device: DeviceID) throws -> DeviceID {
            try redaction?.device(device) ?? device
        }
        func entry(_ entry: PropertyEntry) throws -> Entry {
            let value: EntityValue =
                switch entry.property.value {
                case .string(let value): .string(text(value))
                case .integer(let value): .integer(redaction?.integer(value) ?? value)
                case .array(let values):
                    .array(
                        values.map {
                            if case .string(let value) = $0 { .string(text(value)) } else { $0 }
                        })
                case .relationship(let target):
                    .relationship(.identifier(text(target.identifier ?? "")))
                case let value: value
                }
            return Entry(
                key: text(entry.key), value: value,
                type: entry.property.hasDefaultType
                    ? entry.property.type : text(entry.property.type),
                device: try device(entry.id.device), author: try device(entry.author),
                written: entry.written, datestamp: entry.property.datestamp,
                isRemoved: entry.isRemoved, isCurrent: entry.isCurrent)
        }
        let store = try await EntityStore.open(package, as: nil, at: nil)
        for entity in entities {
            let reference = EntityReference.identifier(entity)
            guard let record = try await store.records(of: [reference])[0] else { continue }
            let name = Name(text(entity))
            types[name] = Name(text(record.type))
            entries[name] = Set(try await store.entries(of: [reference])[0].map(entry))
        }
        for conflict in await store.conflicts() where entities.contains(conflict.identifier) {
            conflicts.insert(
                Conflict(
                    entity: text(conflict.identifier), key: text(conflict.key),
                    sides: try conflict.sides.map(entry), base: try conflict.base.map(entry)))
        }
        await store.close()
    }
}

/// A package to which three devices write entities at random.
private final class RandomEntityStore {
    let folder: TemporaryFolder
    let package: StorePackage
    let devices = ["anna-phone", "ben-tablet", "cleo-desktop"]
    let words: [String]
    let entities: [String]
    private var random: SeededRandom

    init(seed: UInt64) async throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
        var random = SeededRandom(seed: seed)
        words = (0..<20).map { _ in
            String((0..<9).compactMap { _ in "abcdefghijklmnopq".randomElement(using: &random) })
        }
        entities = Array(words.prefix(8))
        self.random = random
        try await write()
    }

    func redaction() throws -> Redaction {
        try Redaction(
            devices: devices.map { try DeviceID($0) }, includesNumbers: true, random: random)
    }

    private func word() -> String { words.randomElement(using: &random) ?? "" }

    private func value() -> EntityValue {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .string("\(word()) \(word())")
        case 1: .integer(.random(in: 0..<100, using: &random))
        case 2: .array([.string(word()), .boolean(true)])
        case 3: .relationship(.identifier(entities.randomElement(using: &random) ?? ""))
        default: .boolean(.random(using: &random))
        }
    }

    private func write() async throws {
        let clock = TestClock()
        var stores: [EntityStore] = []
        for device in devices {
            stores.append(try await EntityStore.open(package, as: device, at: clock))
        }
        try await stores[0].add(entities.map { (.new("type-\(word())", identifier: $0), [:]) })
        let keys = words.suffix(3)
        for _ in 0..<60 {
            if Int.random(in: 0..<4, using: &random) > 0 { clock.advance(microseconds: 1) }
            guard let store = stores.randomElement(using: &random),
                let entity = entities.randomElement(using: &random),
                let key = keys.randomElement(using: &random)
            else { return }
            let reference = EntityReference.identifier(entity)
            guard try await store.records(of: [reference])[0] != nil else {
                try await store.sync()
                continue
            }
            var properties = PropertyDictionary()
            properties[key] = Property(
                value(), type: Bool.random(using: &random) ? nil : word())
            do {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: try await store.remove([key], of: [reference])
                case 1: try await store.delete([reference])
                case 2, 3, 4: try await store.sync()
                case 5, 6: try await store.add([(reference, properties)])
                default: try await store.set([(reference, properties)])
                }
            } catch let error as EntityStoreError where error.code == .noSuchEntity {
                // The target of a relationship was deleted.
            }
        }
        for store in stores { await store.close() }
    }
}
