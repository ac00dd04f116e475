import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Keys that are copied into a new package.
@Suite struct KeyExtractionTests {
    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func extractShowsTheSameAsTheOriginal(isRedacted: Bool) throws {
        for seed in 0..<40 {
            let store = try RandomKeyStore(seed: UInt64(seed))
            let original = try RandomKeyStore.reader(store.package)
            let redaction = try isRedacted ? store.redaction() : nil
            let keys = store.chosenKeys
            let output = try StorePackage(creating: store.folder.appending("Small.store"))
            let count = try original.copyRows(ofKeys: keys, to: output, redaction: redaction)
            let copy = try RandomKeyStore.reader(output)

            let chosen = keys.sorted().texts
            let expected = try KeyStoreState(original, keys: chosen, redaction)
            let found = try KeyStoreState(copy, keys: copy.keys(includingRemoved: true), nil)
            try #require(found == expected, "seed \(seed)")
            #expect(count == expected.rows.values.joined().count)
            #expect(Set(copy.conflictKeys.map { Name($0) }) == Set(expected.conflicts.keys))
        }
    }

    @Test(.timeLimit(.minutes(30))) func redactedExtractHasNoBytesOfTheOriginalsTexts() throws {
        for seed in 0..<10 {
            let store = try RandomKeyStore(seed: UInt64(seed))
            let original = try RandomKeyStore.reader(store.package)
            let output = store.folder.appending("Small.store")
            var extraction = Extraction()
            extraction.keys = Set(original.keys(includingRemoved: true).map { Name($0) })
            _ = try extraction.write(
                store.package, keys: original, to: output, redacting: .textsAndNumbers)
            #expect(try FolderBytes(output).contents(in: store.words + store.devices).isEmpty)
            #expect(try !FolderBytes(store.package.path).contents(in: store.words).isEmpty)
        }
    }

    @Test func firstPackageFormatIsKept() throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Old.parstore"))
        for (device, value) in [("a", "one"), ("b", "two")] {
            var configuration = KeyValueStore.Configuration()
            configuration.watchesFolder = false
            configuration.format = .parstore1
            let store = KeyValueStore(
                package: package, device: try DeviceID(device), configuration: configuration)
            try store.load()
            try store.set(.string(value), forKey: "k")
            try store.set(.string(value), forKey: "other")
            try store.close()
        }
        let original = try RandomKeyStore.reader(package)
        let output = try StorePackage(creating: folder.appending("Small.store"))
        #expect(try original.copyRows(ofKeys: ["k"], to: output) == 2)
        let copy = try RandomKeyStore.reader(output)
        #expect(copy.devices.map(\.format) == [.parstore1, .parstore1])
        #expect(copy.keys == ["k"])
        #expect(
            try KeyStoreState(copy, keys: ["k"], nil)
                == KeyStoreState(original, keys: ["k"], nil))
    }

    @Test func existingPathIsNotChanged() throws {
        let shared = try SharedPackage()
        let output = shared.folder.appending("Small.store")
        try Data("x".utf8).write(to: URL(filePath: output))
        let store = try RandomKeyStore.reader(shared.package)
        var extraction = Extraction()
        extraction.keys = ["note/1/due"]
        let error = #expect(throws: CoreError.self) {
            try extraction.write(shared.package, keys: store, to: output)
        }
        #expect(error?.code == .cannotCreate)
        #expect(try Data(contentsOf: URL(filePath: output)) == Data("x".utf8))

        extraction.keys = ["missing"]
        let missing = #expect(throws: CoreError.self) {
            try extraction.write(
                shared.package, keys: store, to: shared.folder.appending("Other.store"))
        }
        #expect(missing?.code == .noAnswer)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shared.folder.path).sorted()
                == ["Notes.store", "Small.store"])
    }

    @Test func onlyUnfinishedPackagesOfThisComputerAreDeleted() throws {
        let shared = try SharedPackage()
        // No process has this ID.
        let (own, other) = (
            ".Small.store.tideline-\(ProcessInfo.processInfo.hostName)-\(Int32.max)",
            ".Small.store.tideline-another.example-\(Int32.max)"
        )
        for name in [own, other] {
            try FileManager.default.createDirectory(
                atPath: shared.folder.appending(name), withIntermediateDirectories: false)
        }
        var extraction = Extraction()
        extraction.keys = ["note/1/due"]
        _ = try extraction.write(
            shared.package, keys: RandomKeyStore.reader(shared.package),
            to: shared.folder.appending("Small.store"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shared.folder.path).sorted()
                == [other, "Notes.store", "Small.store"])
    }

    @Test func nothingIsCreatedIfALogCannotBeRead() throws {
        let shared = try SharedPackage()
        let files = FileManager.default
        // A copy of a device's folder isn't part of the store.
        try files.copyItem(
            atPath: shared.path + "/Devices/ben", toPath: shared.path + "/Devices/ben 2")
        var extraction = Extraction()
        extraction.keys = ["note/1/due"]
        _ = try extraction.write(
            shared.package, keys: RandomKeyStore.reader(shared.package),
            to: shared.folder.appending("Small.store"))

        try Data("no database".utf8).write(
            to: URL(filePath: shared.path + "/Devices/cleo/Logs.db"))
        let error = #expect(throws: ReplicationError.self) {
            try extraction.write(
                shared.package, keys: RandomKeyStore.reader(shared.package),
                to: shared.folder.appending("Other.store"))
        }
        #expect(error?.code == .unreadable && error?.reason.contains("cleo") == true)
        #expect(
            try files.contentsOfDirectory(atPath: shared.folder.path).sorted()
                == ["Notes.store", "Small.store"])
    }

    @Test func outputInsideThePackageIsRefused() throws {
        let shared = try SharedPackage()
        let store = try RandomKeyStore.reader(shared.package)
        let before = try FolderState(of: shared.path)
        let link = shared.folder.appending("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: shared.path)
        var extraction = Extraction()
        extraction.keys = ["note/1/due"]
        for output in [shared.path + "/in", shared.path + "/Devices/in", link + "/in"] {
            let error = #expect(throws: CoreError.self) {
                try extraction.write(shared.package, keys: store, to: output)
            }
            #expect(error?.code == .cannotCreate, "\(output)")
        }
        #expect(try FolderState(of: shared.path) == before)
    }

    @Test func namesOfTheDevicesAreCopied() throws {
        let shared = try SharedPackage()
        let output = shared.folder.appending("Small.store")
        var extraction = Extraction()
        extraction.keys = ["note/1/title"]
        let before = try FolderState(of: shared.path)
        let store = try RandomKeyStore.reader(shared.package)
        let counts = try extraction.write(shared.package, keys: store, to: output)
        #expect(counts == Extraction.Counts(keyRows: 2, entityRows: 0, documentRows: 0))
        let package = try StorePackage(opening: output)
        #expect(package.deviceNames() == [try DeviceID("ben"): "Ben's iPad"])
        #expect(try package.devices().map(\.id.name) == ["anna", "ben"])
        #expect(try FolderState(of: shared.path) == before)
    }
}

/// The bytes of all files below a folder, their names included.
struct FolderBytes {
    private let files: [Data]

    init(_ path: String) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: path)
        files =
            paths.compactMap { FileManager.default.contents(atPath: "\(path)/\($0)") }
            + [Data(paths.joined(separator: "\n").utf8)]
    }

    /// Returns the texts that occur in a file.
    func contents(in texts: some Sequence<String>) -> [String] {
        texts.filter { text in
            let forms = [
                Data(text.utf8), Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }),
            ]
            return files.contains { file in forms.contains { file.firstRange(of: $0) != nil } }
        }
    }
}

extension KeyValueStore {
    fileprivate func keys(includingRemoved: Bool) -> [String] {
        let list = entryList(prefix: "", includesRemoved: includingRemoved)
        return (entries(list, 0..<list.count) ?? []).map(\.key)
    }
}

/// The visible state of some keys of a store, with replaced contents if there is a redaction, and
/// without the numbers of rows.
private struct KeyStoreState: Equatable {
    struct Row: Hashable {
        let device: DeviceID
        let timestamp: Timestamp
        @Name var key: String
        let value: PropertyList?
        let parents: Set<LogRow.Reference>
        let reverts: Set<LogRow.Reference>
    }

    struct Conflict: Equatable {
        let winner: Row
        let others: [Row]
        let base: Row?
        let merged: PropertyList?
        let overlapCount: Int?
        let isPossible: Bool
    }

    /// The rows per device, in the order of its log.
    var rows: [DeviceID: [Row]] = [:]
    var history: Set<Row> = []
    var values: [Name: PropertyList] = [:]
    var conflicts: [Name: Conflict] = [:]

    init(_ store: KeyValueStore, keys: [String], _ redaction: Redaction?) throws {
        func reference(_ device: DeviceID, _ timestamp: Timestamp) throws -> LogRow.Reference {
            LogRow.Reference(
                device: try redaction?.device(device) ?? device, timestamp: timestamp)
        }
        func row(_ row: LogRow) throws -> Row {
            let parents = try store.parents(of: [row])[0]
            let value = try row.value()
            return Row(
                device: try redaction?.device(row.device) ?? row.device,
                timestamp: row.timestamp, key: redaction?.text(row.key) ?? row.key,
                value: redaction.flatMap { redaction in value.map(redaction.value) } ?? value,
                parents: Set(
                    try parents.map { try reference($0.device ?? row.device, $0.timestamp) }),
                reverts: Set(try row.reverts.map { try reference($0.device, $0.timestamp) }))
        }
        let names = Set(keys.map { Name($0) })
        for original in try store.rows(since: nil).sorted(by: { $0.id < $1.id })
        where names.contains(Name(original.key)) {
            let row = try row(original)
            rows[row.device, default: []].append(row)
            history.insert(row)
        }
        for key in keys {
            let name = Name(redaction?.text(key) ?? key)
            if let value = store.value(forKey: key) {
                values[name] = redaction?.value(value) ?? value
            }
            guard let conflict = try store.conflict(forKey: key) else { continue }
            let merged = conflict.merge?.value
            conflicts[name] = Conflict(
                winner: try row(conflict.winner), others: try conflict.others.map(row),
                base: try conflict.base.map(row),
                merged: redaction.flatMap { redaction in merged.map(redaction.value) } ?? merged,
                overlapCount: conflict.merge?.overlaps.count, isPossible: conflict.isPossible)
        }
    }
}

/// A package to which three devices write at random: they set, remove and resolve keys, revert
/// their own rows, and read each other's rows from time to time.
private final class RandomKeyStore {
    let folder: TemporaryFolder
    let package: StorePackage
    let devices = ["anna-phone-α", "ben-tablet", "cleo-desktop"]
    let words: [String]
    private var random: SeededRandom
    private let clock = TestClock()

    static func reader(_ package: StorePackage) throws -> KeyValueStore {
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(package: package, device: nil, configuration: configuration)
        try store.load()
        return store
    }

    init(seed: UInt64) throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
        var random = SeededRandom(seed: seed)
        let alphabets = ["abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмн", "ABCDEFÄÖÜ", "0123456789"]
        words = (0..<24).map { _ in
            let alphabet = alphabets.randomElement(using: &random) ?? ""
            return String((0..<9).compactMap { _ in alphabet.randomElement(using: &random) })
        }
        self.random = random
        try write()
    }

    func redaction() throws -> Redaction {
        try Redaction(
            devices: devices.map { try DeviceID($0) }, includesNumbers: true, random: random)
    }

    private lazy var keys = (0..<8).map { _ in "\(word())/\(word())" }
    /// A part of the keys.
    var chosenKeys: Set<Name> { Set(keys.prefix(5).map { Name($0) }) }

    private func word() -> String { words.randomElement(using: &random) ?? "" }

    private func text() -> String {
        (0..<Int.random(in: 1...6, using: &random)).map { _ in word() }
            .joined(separator: Bool.random(using: &random) ? " " : "\n")
    }

    private func value(_ depth: Int = 0) -> PropertyList {
        switch Int.random(in: 0..<(depth < 2 ? 9 : 7), using: &random) {
        case 0, 1: .string(text())
        case 2: .integer(.random(in: -1_000...1_000, using: &random))
        case 3: .real(.random(in: -1...1, using: &random))
        case 4: .boolean(.random(using: &random))
        case 5: .data(Data((0..<9).map { _ in .random(in: .min ... .max, using: &random) }))
        case 6: .date(Date(timeIntervalSinceReferenceDate: .random(in: 0...1e9, using: &random)))
        case 7: .array((0..<3).map { _ in value(depth + 1) })
        default:
            .dictionary(
                Dictionary(
                    (0..<3).map { _ in (Name(word()), value(depth + 1)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    private func write() throws {
        let stores = try devices.map { try SharedPackage.store($0, package, clock) }
        for store in stores { try store.load() }
        for _ in 0..<60 {
            // Devices write at the same instant now and then.
            if Int.random(in: 0..<4, using: &random) > 0 { clock.advance(microseconds: 1) }
            guard let store = stores.randomElement(using: &random),
                let key = keys.randomElement(using: &random)
            else { return }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: if store.value(forKey: key) != nil { try store.removeValue(forKey: key) }
            case 1, 2: try store.sync()
            case 3:
                if try store.conflict(forKey: key) != nil { try store.resolve(key, with: value()) }
            case 4:
                try store.save()
                if let time = store.ownTimestamp(forKey: key),
                    let plan = try? store.reversion(key, writtenAt: time)
                {
                    try store.revert([plan])
                }
            case 5:
                // A part of a text changes, so that texts are merged.
                guard case .string(let text)? = store.value(forKey: key) else { fallthrough }
                try store.set(.string(text + " " + word()), forKey: key)
            default: try store.set(value(), forKey: key)
            }
            try store.save()
        }
        for store in stores { try store.close() }
    }
}
