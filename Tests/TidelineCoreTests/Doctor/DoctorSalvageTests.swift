import Automerge
import DocumentStore
import EntityStore
import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Damages every page of this device's own entities and documents in turn. Repair rewrites all
/// readable rows, and they keep their meaning.
@Suite struct DoctorSalvageTests {
    private let folder: TemporaryFolder
    private let package: StorePackage

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
    }

    private func doctor() throws -> Doctor { Doctor(package.path, own: try DeviceID("anna")) }

    private func path(_ kind: DatabaseKind) throws -> String {
        try package.device(DeviceID("anna")).path(of: kind)
    }

    private func write(_ data: Data, _ path: String) throws {
        try data.write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
    }

    /// Returns the rows of a query one by one, leaving out those that can't be read.
    private func rows(
        _ path: String, upTo last: Int64, _ sql: String
    ) throws -> [Int64: [DatabaseValue]] {
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            return [:]
        }
        var found: [Int64: [DatabaseValue]] = [:]
        for id in 1...last {
            let row = try? queue.read { try Row.fetchOne($0, sql: sql, arguments: [id]) }
            found[id] = row.map { Array($0.databaseValues) }
        }
        try? queue.close()
        return found
    }

    private func setPageSize(_ size: Int, _ path: String) throws -> Data {
        try runSQL("PRAGMA page_size = \(size); VACUUM", at: path, isTransaction: false)
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Damages the file page by page, and repairs it.
    ///
    /// - Parameter check: Called with the damaged file and whether it was repaired.
    private func forEachPage(
        _ kind: DatabaseKind, _ size: Int, _ damage: PageDamage, quick: Int = 8,
        _ check: (_ damaged: Data, _ isMended: Bool, Comment) async throws -> Void
    ) async throws {
        let path = try path(kind)
        let sound = try setPageSize(size, path)
        var random = SeededRandom(seed: 21)
        for page in PageDamage.pages(of: sound.count / size, quick: quick) {
            let place: Comment = "page \(page) of \(sound.count / size)"
            let damaged = damage.applied(to: sound, page: page, of: size, using: &random)
            try write(damaged, path)
            let repair = try doctor().repair().repairs.first(where: \.isDone)
            if repair != nil {
                #expect(try Data(contentsOf: URL(filePath: path + ".old")) == damaged, place)
                let (repairs, findings) = try doctor().repair()
                #expect(repairs == [], place)
                // Half a page can lie within a chunk, which the repair keeps as it is.
                let errors = findings.filter {
                    $0.severity == .error && !(damage == .torn && $0.code == "chunk")
                }
                #expect(errors == [], "\(place): \(errors)")
            }
            try await check(damaged, repair != nil, place)
            try? FileManager.default.removeItem(atPath: path + ".old")
        }
    }

    // MARK: Entities

    /// The rows with the texts of their numbers, leaving out rows without a text.
    private static let entityRow = """
        SELECT timestamp, operation, (SELECT name FROM names WHERE id = entity),
            (SELECT name FROM names WHERE id = key), (SELECT name FROM names WHERE id = tag), date,
            kind, CASE kind WHEN 7 THEN (SELECT name FROM names WHERE id = value) ELSE value END
        FROM log WHERE id = ? AND operation <> 0
        """

    private static let count = 24

    /// Anna writes titles, numbers, bytes and relationships; Ben sets half of the titles again.
    private func writeEntities() async throws -> Int64 {
        let anna = try await EntityStore.open(package, device: DeviceID("anna"))
        for number in 0..<Self.count {
            try await anna.add([
                (
                    .new("note", identifier: "note-\(number)"),
                    [
                        "title": .string("by anna \(number)"), "ratio": .double(0.1),
                        "bytes": .data(Data()), "long": .data(Data(repeating: 7, count: 700)),
                    ]
                )
            ])
        }
        let ben = try await EntityStore.open(package, device: DeviceID("ben"))
        for number in stride(from: 0, to: Self.count, by: 2) {
            _ = try await ben.set([(.identifier("note-\(number)"), ["title": "by ben"])])
        }
        await anna.close()
        await ben.close()
        let queue = try DatabaseQueue(path: path(.entities))
        defer { try? queue.close() }
        return try await queue.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM log") } ?? 0
    }

    @Test(arguments: [512, 4096], PageDamage.allCases)
    func repairedEntitiesKeepEveryReadableRowWithItsNumber(
        _ size: Int, _ damage: PageDamage
    ) async throws {
        let last = try await writeEntities()
        let path = try path(.entities)
        let all = try rows(path, upTo: last, Self.entityRow)
        #expect(all.count == last)
        var mended = 0
        try await forEachPage(.entities, size, damage) { damaged, isMended, place in
            let other = folder.appending("damaged.db")
            try write(damaged, other)
            let isWhole = { (row: [DatabaseValue]) in
                !row[2].isNull && (row[1].description == "4" || !row[3].isNull || !row[4].isNull)
            }
            let wanted = try rows(other, upTo: last, Self.entityRow).filter { isWhole($0.value) }
            guard isMended else {
                // Either no row is readable, or no structure that SQLite checks is damaged.
                let errors = try doctor().examine().filter { $0.severity == .error }
                #expect(errors.isEmpty || wanted.isEmpty, "\(place): \(errors)")
                return
            }
            mended += 1
            let after = try rows(path, upTo: last, Self.entityRow)
            if damage != .torn {
                // Long values have their own pages, which SQLite doesn't checksum.
                for (id, row) in after where row[3].description != "\"long\"" {
                    #expect(all[id] == row, "\(place): row \(id)")
                }
                for (id, row) in wanted where all[id] == row {
                    #expect(after[id] == row, "\(place): row \(id) was lost")
                }
            }
            try await checkThatNothingReturns(place, isTorn: damage == .torn)
        }
        #expect(mended > 0)
    }

    /// Ben's removals stay in effect, and don't affect Anna's new writes.
    private func checkThatNothingReturns(_ place: Comment, isTorn: Bool) async throws {
        let anna = try await EntityStore.open(package, device: DeviceID("anna"))
        let references = (0..<Self.count).map { EntityReference.identifier("note-\($0)") }
        func title(_ record: EntityRecord?) -> EntityValue? {
            record?.properties.first { $0.key == "title" }?.property.value
        }
        for (number, record) in try await anna.records(of: references).enumerated()
        where number.isMultiple(of: 2) {
            #expect(title(record) == .string("by ben"), "\(place): note-\(number)")
        }
        if !isTorn {
            _ = try await anna.add([(.identifier("note-0"), ["title": "by anna again"])])
            #expect(
                title(try await anna.records(of: [references[0]])[0]) == .string("by anna again"),
                place)
        }
        await anna.close()
    }

    @Test func lostEntityRowsAreNotAClockProblem() async throws {
        let last = try await writeEntities()
        var said = 0
        try await forEachPage(.entities, 512, .zeroed, quick: 30) { _, isMended, place in
            guard isMended else { return }
            let codes = try doctor().examine().map(\.code)
            #expect(!codes.contains("row-times"), place)
            if codes.contains("rows-lost") { said += 1 }
            let info = try StoreInfo(of: package.path)
            let problems = info.problems.joined()
            #expect(!problems.contains("clock"), place)
            let shown = info.devices.filter { $0.id.name == "anna" }.map(\.rows)
            #expect(shown.count == 1 && shown[0] <= last, place)
        }
        #expect(said > 0)
    }

    /// Returns the number of rows in the log, including placeholders for lost ones.
    private func rowCount(_ path: String) throws -> Int64 {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int64.fetchOne($0, sql: "SELECT count(*) FROM log") } ?? 0
    }

    @Test(arguments: [512, 4096])
    func numbersAreSkippedOnlyIfTheLastRowIsLost(_ size: Int) async throws {
        let last = try await writeEntities()
        let path = try path(.entities)
        var (mended, free) = (0, 0)
        try await forEachPage(.entities, size, .zeroed, quick: 40) { damaged, isMended, place in
            let other = folder.appending("damaged.db")
            try write(damaged, other)
            // Without the schema, the pages of the log are unknown.
            let schema = "SELECT rootpage FROM sqlite_schema WHERE name = 'log' AND ? = 1"
            guard isMended, try !rows(other, upTo: 1, schema).isEmpty else { return }
            mended += 1
            if try rows(path, upTo: last, Self.entityRow)[last] != nil {
                #expect(try rowCount(path) == last, place)
            } else if try rowCount(path) > last {
                free += 1
            }
        }
        // For large files, only some pages are damaged.
        #expect(mended > 2 && (size < 4096 || free > 0))
    }

    /// - Returns: The first and last pages of the entity log.
    private func pagesOfLog(_ path: String) throws -> (first: Int, last: Int) {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let first = try queue.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'log'") ?? 0
        }
        let page = try Data(contentsOf: URL(filePath: path)).dropFirst((first - 1) * 4096)
        // An interior page, whose last child is stored separately.
        try #require(page.first == 5)
        return (first, page.dropFirst(8).prefix(4).reduce(0) { $0 << 8 | Int($1) })
    }

    private func zero(_ page: Int, _ path: String) throws {
        var data = try Data(contentsOf: URL(filePath: path))
        data.replaceSubrange(
            (page - 1) * 4096..<page * 4096, with: Data(repeating: 0, count: 4096))
        try write(data, path)
    }

    @Test func damagedInteriorPageLosesNoRows() async throws {
        let last = try await writeEntities()
        let path = try path(.entities)
        try zero(pagesOfLog(path).first, path)
        let (repairs, findings) = try doctor().repair()
        #expect(repairs.map(\.isDone) == [true])
        #expect(repairs.first?.outcome.contains(" all \(last) ") == true)
        #expect(!findings.contains { $0.code == "rows-lost" })
        #expect(try rowCount(path) == last)
    }

    @Test func numbersOfADamagedPageStayUnusedAfterASecondRepair() async throws {
        _ = try await writeEntities()
        let path = try path(.entities)
        try zero(pagesOfLog(path).last, path)
        func mend() throws -> String? {
            try FileManager.default.removeItem(atPath: path + ".old")
            return try doctor().repair().findings.first { $0.code == "rows-lost" }?.problem
        }
        let (repairs, findings) = try doctor().repair()
        let outcome = try #require(repairs.first?.outcome)
        #expect(outcome.contains(" 292 more"), "\(outcome)")
        let problem = try #require(findings.first { $0.code == "rows-lost" }?.problem)
        #expect(
            problem.hasSuffix(
                "repaired: a damaged page may have held up to 292 rows; "
                    + "their numbers are not reused"), "\(problem)")
        let count = try rowCount(path)
        try zero(pagesOfLog(path).first, path)
        #expect(try mend() == problem)
        #expect(try rowCount(path) == count)
    }

    // MARK: Documents

    private static let chunkRow = """
        SELECT operation, document, workspace, size,
            (SELECT data FROM content WHERE content.id = log.id)
        FROM log WHERE id = ? AND operation IN (3, 4)
            AND EXISTS (SELECT 1 FROM content WHERE content.id = log.id)
        """

    private func writeDocuments() throws -> Int64 {
        let anna = try AutomergeStore(package, device: DeviceID("anna"))
        for number in 0..<4 {
            let workspace = try anna.newWorkspace(named: "Plans \(number)")
            for _ in 0..<2 {
                let document = try anna.newDocument(in: workspace.id)
                for edit in 0..<4 {
                    try document.automerge.put(
                        obj: .ROOT, key: "k\(edit)",
                        value: .String("\(number)-\(edit) " + String(repeating: "x", count: 40)))
                    try document.save()
                }
            }
        }
        try anna.close()
        let queue = try DatabaseQueue(path: path(.documents))
        defer { try? queue.close() }
        return try queue.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM log") } ?? 0
    }

    @Test(arguments: [512, 4096], PageDamage.allCases)
    func repairedDocumentsKeepEveryReadableChunk(_ size: Int, _ damage: PageDamage) async throws {
        let last = try writeDocuments()
        let path = try path(.documents)
        func chunks(_ path: String) throws -> Set<[DatabaseValue]> {
            Set(try rows(path, upTo: last, Self.chunkRow).values)
        }
        let all = try chunks(path)
        #expect(all.count > 8)
        var mended = 0
        try await forEachPage(.documents, size, damage) { damaged, isMended, place in
            let other = folder.appending("damaged.db")
            try write(damaged, other)
            let wanted = try chunks(other)
            guard isMended else {
                let errors = try doctor().examine().filter { $0.severity == .error }
                // Half a page can lie within a chunk, which has its own checksum.
                #expect(
                    errors.allSatisfy { $0.code == "chunk" } || wanted.isEmpty,
                    "\(place): \(errors)")
                return
            }
            mended += 1
            let after = try chunks(path)
            if damage != .torn {
                // A document without a readable snapshot gets one of the remaining chunks.
                let deltas = after.filter { $0[0].description == "4" }
                #expect(deltas.isSubset(of: all), place)
                #expect(wanted.intersection(all).isSubset(of: after), place)
            }
            // The store can be written, and every chunk belongs to a document.
            let anna = try AutomergeStore(package, device: DeviceID("anna"))
            #expect(anna.devices.allSatisfy { $0.state == .ok && $0.problem == nil }, place)
            for document in anna.documentSummaries() where damage != .torn {
                guard let opened = try? anna.openDocument(document.id) else { continue }
                let problems = withExtendedLifetime(opened) { anna.problems(of: document.id) }
                #expect(problems?.damagedChunks.isEmpty ?? true, place)
            }
            _ = try anna.newWorkspace(named: "after")
            try anna.close()
        }
        #expect(mended > 0)
    }

    @Test func chunkIsAssignedToItsDocumentIfItsRowIsLost() async throws {
        let anna = try AutomergeStore(package, device: DeviceID("anna"))
        let workspace = try anna.newWorkspace(named: "Plans")
        let documents = try (0..<2).map { _ in try anna.newDocument(in: workspace.id) }
        var letters = SeededRandom(seed: 4)
        for document in documents {
            // Long enough that no delta triggers a new snapshot.
            let text = String(
                (0..<9_000).map { _ in "abcdefghijklmnop".randomElement(using: &letters) ?? "a" })
            try document.automerge.put(obj: .ROOT, key: "text", value: .String(text))
            try document.save()
        }
        for edit in 0..<12 {
            for document in documents {
                try document.automerge.put(obj: .ROOT, key: "k", value: .Int(Int64(edit)))
                try document.save()
            }
        }
        let histories = documents.map { Set($0.automerge.getHistory()) }
        let ids = documents.map(\.id)
        try anna.close()
        let path = try path(.documents)
        func contents(_ path: String) throws -> [Int64: [DatabaseValue]] {
            try rows(path, upTo: 60, "SELECT data FROM content WHERE id = ?")
        }
        var healed = 0
        let sound = try setPageSize(512, path)
        let all = try contents(path)
        for page in 1..<sound.count / 512 {
            var random = SeededRandom(seed: 3)
            try write(
                PageDamage.zeroed.applied(to: sound, page: page, of: 512, using: &random), path)
            // The damaged page contains rows, not chunks.
            let isOfRows = try contents(path) == all
            guard try doctor().repair().repairs.first?.outcome.contains("chunks") == true else {
                continue
            }
            try FileManager.default.removeItem(atPath: path + ".old")
            guard isOfRows else { continue }
            let store = try AutomergeStore(package)
            for (id, history) in zip(ids, histories) {
                let opened = try #require(try store.openDocument(id), "page \(page)")
                #expect(Set(opened.automerge.getHistory()) == history, "page \(page)")
            }
            try store.close()
            healed += 1
        }
        #expect(healed > 1)
    }
}
