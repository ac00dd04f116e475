import Foundation
import GRDB
import TestSupport
import Testing

@testable import AutoModel

/// Pairs of declarations: a migration keeps what both have in common.
@Suite struct RandomMigrationTests {
    private static let types: [ColumnType] = [.integer, .real, .text, .blob]

    private func value(_ type: ColumnType, _ random: inout SeededRandom) -> SQLValue {
        let number = Int64.random(in: -1_000_000...1_000_000, using: &random)
        return switch type {
        case .integer: .integer(Bool.random(using: &random) ? number : number << 40)
        case .real: .real(Double(number) / 7)
        case .text: .text("\(number)'\"ä")
        case .blob: .blob(Data("\(number)".utf8))
        }
    }

    private func column(
        _ name: String, formerly: [String] = [], type: ColumnType? = nil,
        _ random: inout SeededRandom
    ) -> ColumnDescription {
        let type = type ?? Self.types.randomElement(using: &random) ?? .text
        let isNullable = Bool.random(using: &random)
        let fallback: SQLValue? = isNullable ? nil : value(type, &random)
        return ColumnDescription(
            name: name, type: type, isNullable: isNullable, defaultValue: fallback ?? .null,
            isLiteral: true, options: [], formerNames: formerly, reference: nil)
    }

    private func indices(
        _ columns: [ColumnDescription], _ random: inout SeededRandom
    ) -> [IndexDescription] {
        columns.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)).map {
            IndexDescription(terms: [quoted($0.name)], isUnique: false, condition: nil)
        }
    }

    /// A declaration that keeps, renames or changes some columns and adds others.
    private func changed(
        _ old: [ColumnDescription], _ random: inout SeededRandom
    ) -> [ColumnDescription] {
        var new: [ColumnDescription] = []
        for column in old {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: break
            case 1: new.append(self.column(column.name, &random))
            case 2:
                new.append(
                    self.column(
                        column.name + "_new", formerly: [column.name], type: column.type, &random))
            case 3: new.append(self.column(column.name, type: column.type, &random))
            default: new.append(column)
            }
        }
        for number in 0..<Int.random(in: 0...2, using: &random) {
            new.append(column("added_\(number)", &random))
        }
        return new.shuffled(using: &random)
    }

    @Test func commonColumnsSurviveMigration() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        var configuration = AutoDatabase.Configuration()
        configuration.onDataLoss = { _ in .allow }
        for run in 0..<runCount(1000) {
            // In memory, because the test is about migration, not the disk.
            let file = DatabaseFile(
                path: "file:\(folder.path)-\(run)?mode=memory", name: nil, busyTimeout: 1)
            let old = (0..<Int.random(in: 1...5, using: &random)).map { column("c\($0)", &random) }
            let isAscending = Bool.random(using: &random)
            let first = TableLayout(
                name: "T", ids: isAscending ? .ascending : .random, columns: old,
                indices: indices(old, &random))
            try Migrator(file: file, layouts: [first], configuration: configuration).run()
            var rows: [[SQLValue]] = []
            for id in 1...4 {
                var row: [SQLValue] = [.integer(Int64(id))]
                for column in old {
                    let isMissing = column.isNullable && Int.random(in: 0..<3, using: &random) == 0
                    row.append(isMissing ? .null : value(column.type, &random))
                }
                rows.append(row)
                try file.withConnection { db in
                    let insert = try db.prepared(first.insertSQL(), row)
                    try db.run(insert)
                }
            }
            let new = changed(old, &random)
            let second = TableLayout(
                name: Bool.random(using: &random) ? "T" : "U", formerNames: ["T"], columns: new,
                indices: indices(new, &random))
            try Migrator(file: file, layouts: [second], configuration: configuration).run()
            let found = try file.withConnection {
                try $0.rows(second.selectSQL + " ORDER BY id", [])
            }
            #expect(found.map(\.first) == rows.map(\.first), "seed \(seed), run \(run)")
            for (index, column) in new.enumerated() {
                let source = column.formerNames.first ?? column.name
                guard let from = old.firstIndex(where: { $0.name == source }) else {
                    let isDefault = found.allSatisfy { $0[index + 1] == column.defaultValue }
                    #expect(isDefault, "seed \(seed), run \(run), \(column.name)")
                    continue
                }
                guard old[from].type == column.type else { continue }
                let wanted = rows.map { row in
                    row[from + 1].isNull && !column.isNullable
                        ? column.defaultValue ?? .null : row[from + 1]
                }
                let isKept = found.map { $0[index + 1] } == wanted
                #expect(isKept, "seed \(seed), run \(run), \(column.name)")
            }
            let again = try Migrator(
                file: file, layouts: [second], configuration: configuration
            ).run()
            #expect(again.isEmpty, "seed \(seed), run \(run)")
            try file.close()
        }
    }
}
