import CommandSupport
import DocumentStore
import EntityStore
import Foundation
import KeyValueStore
import LosslessJSON
import Replication
import Tables
import TidelineCore

/// A file of a store as lines of text. Each line names its place, so that a difference of two
/// versions can be read without context lines.
struct FileText {
    private let path: String

    init(_ path: String) { self.path = path }

    func print() async throws {
        let kind = Result { try StoreKind(of: path) }
        switch kind {
        case .success(let kind) where kind.isAutomergeFile:
            try Failure.of(path) { try print(AutomergeFile.reading(path).view(), "") }
        case .success where (try? StoreKind.isFolder(path)) == true:
            throw Failure(.invalidRequest, path, "a folder, not a file")
        case .success:
            guard let database = try Failure.of(path, { try DetachedDatabase(path, device: nil) })
            else { return try printTables() }
            if database.kind == .entities {
                return try await Failure.of(path) { try await printEntities() }
            }
            try Failure.of(path) {
                try database.withPackage { package in
                    database.kind == .logs
                        ? try printKeys(of: package) : try printDocuments(of: package)
                }
            }
        case .failure(let error as CoreError) where error.code == .badData:
            // Git needs a text for every version, even for an empty or damaged one.
            printOther(try Self.data(path))
        case .failure(let error): throw Failure(error, while: path)
        }
    }

    /// Returns the bytes of a regular file. Anything else is refused, because reading it could
    /// block.
    static func data(_ path: String) throws -> Data {
        _ = try Failure.of(path) { try WholeFile.beginning(of: path, count: 1) }
        return try InputFile.data(path)
    }

    /// Prints a file that isn't part of a store. Prints a text unchanged, and other bytes as their
    /// length and a hash.
    private func printOther(_ data: Data) {
        if let text = String(validating: data, as: UTF8.self), !data.contains(0) {
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last?.isEmpty == true { lines.removeLast() }
            for part in lines { line(String(part)) }
        } else {
            let hash = String(StableHash.of(data), radix: 16)
            line("\(Counted.text(data.count, "byte")), hash \(hash)")
        }
    }

    /// Prints the rows of a log, oldest first.
    private func printKeys(of package: StorePackage) throws {
        let store = try KeyValueStore.loaded(package)
        var start = KeyValueStore.PageStart.oldest
        while true {
            let page = try store.rows(
                KeyValueStore.RowFilter(), start, limit: 1_000, byteLimit: 16 << 20)
            for row in page.rows {
                let place = "\(row.timestamp.iso8601) \(row.key)"
                switch (row.isDeletion, try? row.value()) {
                case (true, _): line("\(place) deleted")
                case (_, .string(let text)?): lines(place, text)
                case (_, let value?): line("\(place): \(value)")
                default: line("\(place): \(Counted.text(row.byteCount, "byte"))")
                }
            }
            guard page.hasMore, let last = page.rows.last else { return }
            start = .after(last.position)
        }
    }

    private func printEntities() async throws {
        let store = try await EntityStore.open(log: path)
        for record in try await store.records() {
            // If another device created the entity, the type is in that device's log.
            let place =
                record.type.isEmpty ? record.identifier : "\(record.type) \(record.identifier)"
            line("\(place) created \(record.datestamp.iso8601)")
            for element in record.properties {
                let value = element.property.value
                if case .string(let text) = value {
                    lines("\(place) \(element.key)", text)
                } else {
                    line("\(place) \(element.key): \(value.line)")
                }
            }
        }
        await store.close()
    }

    private func printDocuments(of package: StorePackage) throws {
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        let store = try AutomergeStore(package, configuration: configuration)
        for summary in store.documentSummaries() {
            let place = store.text(of: summary.id)
            // Usually, the log of another device contains the name.
            if let name = store.workspaceSummary(summary.workspace)?.name, !name.isEmpty {
                line("\(place) in \(name.quoted)")
            }
            do {
                if let document = try store.openDocument(summary.id) {
                    try print(DocumentView(document), place)
                }
            } catch let error as DocumentStoreError {
                line("\(place) \(Counted.text(summary.chunkCount, "chunk")): \(error.message)")
            }
        }
    }

    /// Prints each value of a document with its JSON Pointer, and then the conflicts.
    private func print(_ view: DocumentView, _ place: String) throws {
        let start = place.isEmpty ? "" : place + " "
        line("\(start)heads: \(view.heads.texts.map { $0.prefix(8) }.joined(separator: ", "))")
        let json = try view.json()
        if let content = try? JSONParser.parse(Array(json.utf8)) {
            print(content, start, pointer: "")
        } else {
            // The JSON is nested too deeply for the parser.
            line("\(start)\(json)")
        }
        try view.forEachConflict { conflict in
            for side in conflict.others {
                line("\(start)\(conflict.pointer) in conflict: \(side.json)")
            }
        }
    }

    private func print(_ json: JSON, _ start: String, pointer: String) {
        switch json {
        case .object(let members) where !members.isEmpty:
            for member in members {
                let step = JSONPointer.step(member.name)
                print(member.value, start, pointer: "\(pointer)/\(step)")
            }
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                print(element, start, pointer: "\(pointer)/\(index)")
            }
        case .string(let text): lines("\(start)\(pointer)", text)
        case .number(let digits): line("\(start)\(pointer): \(digits)")
        case .boolean(let value): line("\(start)\(pointer): \(value)")
        case .null: line("\(start)\(pointer): null")
        case .object: line("\(start)\(pointer): {}")
        case .array: line("\(start)\(pointer): []")
        }
    }

    /// Prints the statements that create the tables, and their rows.
    private func printTables() throws {
        let file = TableFile(path)
        try Failure.of(path) {
            let (tables, statements) = try file.read { db in
                let database = DatabaseToRead(db: db, tables: try DatabaseTables(db, isRaw: true))
                return (database.tables.tables, try database.statements(of: nil))
            }.0
            for statement in statements { lines("schema", statement) }
            for table in tables where table.schema.kind == .table && table.schema.problem == nil {
                if let note = table.readingNote { line("\(table.name): \(note)") }
                try RowStream(file, table, table.selection()).forEachRow(limit: .max) {
                    key, values in
                    var writer = ExportWriter(.jsonLines)
                    writer.add(table.record(key, values, repeatsRowID: false))
                    line(
                        "\(table.name) \(String(decoding: writer.take().dropLast(), as: UTF8.self))"
                    )
                }
            }
        }
    }

    /// Prints a text in one line after its place, or below it if the text has several lines.
    private func lines(_ place: String, _ text: String) {
        let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line("\(place): \(text)") }
        line("\(place):")
        for part in parts { line("  \(part)") }
    }

    private func line(_ text: String) { Output.line(Printable.line(text)) }
}
