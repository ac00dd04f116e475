import Foundation
import GRDB
import Replication

/// The writing of several changes in one transaction, in an order that the database accepts.
///
/// SQLite checks most constraints after each statement. So the database also refuses a change if
/// another change must be made first: another row still has the unique value, or the row that a
/// foreign key refers to doesn't exist. Refused changes are tried again after the others. If rows
/// swap unique values, each of them gets a temporary value first.
struct ChangeSeries {
    /// A change that isn't made yet.
    private struct Pending {
        /// The index among all changes.
        let place: Int
        var change: TableChange
        /// The values of the row that were replaced by temporary ones.
        var replaced: [TableChange.Cell] = []
    }

    private let schema: DatabaseSchema
    private let db: Database
    private var waiting: [Pending]
    private var keys: [RowKey?]
    private var undo: [TableChange] = []
    private var furtherChanges = 0
    private var lastingChanges = 0
    /// Whether undoing leaves changes that triggers made, per action and table.
    private var leavesTriggerChanges: [String: Bool] = [:]

    /// The maximum number of times that refused changes are tried again.
    private static let mostPasses = 32

    init(_ changes: [TableChange], _ db: Database) throws {
        schema = try DatabaseSchema(db)
        self.db = db
        waiting = changes.enumerated().map { Pending(place: $0.offset, change: $0.element) }
        keys = Array(repeating: nil, count: changes.count)
    }

    /// Makes all changes.
    ///
    /// - Throws: The error with which the first change was refused; errors of writing.
    mutating func outcome() throws -> TableWriter.Outcome {
        if let refusal = try pass() {
            do {
                try makeRefused()
            } catch let error as DatabaseError where error.resultCode != .SQLITE_CONSTRAINT {
                // The file, not a change, is the problem.
                throw error
            } catch {
                // The first reason is the cause. Later reasons may only result from it.
                throw refusal
            }
        }
        return TableWriter.Outcome(
            keys: keys.compactMap { $0 }, undo: undo.reversed(), furtherChanges: furtherChanges,
            lastingChanges: lastingChanges)
    }

    /// Makes the waiting changes, except those that the database refuses.
    ///
    /// - Returns: The error with which the first change was refused; `nil` if all were made.
    private mutating func pass() throws -> (any Error)? {
        var refused: [Pending] = []
        var refusal: (any Error)?
        for pending in waiting {
            do {
                let (key, inverse) = try write(pending.change)
                keys[pending.place] = key
                undo.append(
                    pending.replaced.isEmpty ? inverse : inverse.replacing(pending.replaced))
            } catch let error where isPossibleLater(error) {
                refused.append(pending)
                refusal = refusal ?? error
            }
        }
        waiting = refused
        return refusal
    }

    /// Tries the refused changes again until all are made, or until no more can be made.
    private mutating func makeRefused() throws {
        var hasReplaced = false
        var passes = 1
        var count = waiting.count
        // If each change waits for the next one, the last change must be made first.
        waiting.reverse()
        while let refusal = try pass() {
            let isStuck = waiting.count == count
            if !hasReplaced, isStuck || passes >= Self.mostPasses / 2 {
                hasReplaced = true
                try replaceUniqueValues()
            } else if isStuck || passes >= Self.mostPasses {
                throw refusal
            }
            passes += 1
            count = waiting.count
            waiting.reverse()
        }
    }

    /// Returns whether a change can succeed after other changes.
    private func isPossibleLater(_ error: any Error) -> Bool {
        // A constraint can end the whole transaction (`ON CONFLICT ROLLBACK`).
        guard keys.count > 1, db.isInsideTransaction else { return false }
        guard let error = error as? DatabaseError else {
            return (error as? TablesError)?.code == .refused
        }
        let constraints: [ResultCode] = [
            .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID,
            .SQLITE_CONSTRAINT_FOREIGNKEY,
        ]
        return constraints.contains(error.extendedResultCode)
    }

    /// Makes one change, or leaves the database as it was.
    private mutating func write(
        _ change: TableChange
    ) throws -> (key: RowKey, inverse: TableChange) {
        guard let table = schema.table(change.table) else {
            throw TablesError(.notFound, "no table \(change.table.quoted)")
        }
        try TableWriter.requireWritable(table)
        let before = db.totalChangesCount
        var made: (RowKey, inverse: TableChange)?
        if keys.count == 1 {
            made = try TableWriter.makeOrExplain(change, in: table, schema, db)
        } else {
            // A refused statement can leave changes of its triggers (`ON CONFLICT FAIL`).
            try db.inSavepoint {
                made = try TableWriter.makeOrExplain(change, in: table, schema, db)
                return .commit
            }
        }
        guard let made else { throw TablesError(.refused, "the change was not made") }
        let changed = max(0, db.totalChangesCount - before - 1)
        furtherChanges += changed
        if changed > 0, leavesChanges(change, of: table) { lastingChanges += changed }
        return (made.0, made.inverse)
    }

    /// Returns whether foreign keys or triggers can have changed rows that undoing the change
    /// doesn't restore.
    private mutating func leavesChanges(_ change: TableChange, of table: TableSchema) -> Bool {
        if schema.clearsReferences(change, of: table) { return true }
        let kind = "\(change.action) \(table.name)"
        if let known = leavesTriggerChanges[kind] { return known }
        let leaves = !schema.tablesNotRestored(afterUndoing: change.action, on: table).isEmpty
        leavesTriggerChanges[kind] = leaves
        return leaves
    }

    // MARK: Temporary values

    /// Replaces the unique values of the waiting rows by temporary ones, so that other rows can
    /// take them.
    private mutating func replaceUniqueValues() throws {
        for index in waiting.indices {
            guard let temporary = temporary(waiting[index].change) else { continue }
            let replaced: TableChange
            do {
                replaced = try write(temporary).inverse
            } catch let error where isRefusal(error) {
                continue
            }
            waiting[index].replaced = replaced.cells
            waiting[index].change.expected.removeAll { cell in
                temporary.cells.contains { SQLName.areSame($0.column, cell.column) }
            }
        }
    }

    /// Returns whether the database refused temporary values, for example because of a `CHECK`
    /// constraint.
    private func isRefusal(_ error: any Error) -> Bool {
        guard db.isInsideTransaction, let error = error as? DatabaseError else {
            return isPossibleLater(error)
        }
        return error.resultCode == .SQLITE_CONSTRAINT
    }

    /// Returns the change that writes temporary values into the unique columns of a row; `nil` if
    /// there are none, or if foreign keys would pass the values on to other rows.
    private func temporary(_ change: TableChange) -> TableChange? {
        guard change.action == .update, let key = change.key,
            let table = schema.table(change.table)
        else { return nil }
        let unique = table.indices.filter(\.isUnique).flatMap(\.parts).compactMap(\.column)
        let columns = table.columns.filter { column in
            func isColumn(_ name: String) -> Bool { SQLName.areSame(name, column.name) }
            return column.primaryKeyPosition == 0 && unique.contains(where: isColumn)
                && change.cells.contains { isColumn($0.column) }
        }
        let passesOn = schema.references(to: table).contains { foreign in
            !["NO ACTION", "RESTRICT"].contains(foreign.onUpdate)
                && (schema.targetColumns(of: foreign) ?? []).contains { name in
                    columns.contains { SQLName.areSame($0.name, name) }
                }
        }
        guard !columns.isEmpty, !passesOn else { return nil }
        var temporary = TableChange.update(
            change.table, key, columns.map { .init($0.name, $0.temporaryValue) },
            expecting: change.expected)
        temporary.acceptsAnyType = true
        return temporary
    }
}

extension TableChange {
    /// Returns the change with other values in the columns of `cells`.
    fileprivate func replacing(_ cells: [Cell]) -> TableChange {
        let replaced = self.cells.map { cell in
            cells.first { SQLName.areSame($0.column, cell.column) } ?? cell
        }
        var change = TableChange(
            action: action, table: table, key: key, cells: replaced, expected: expected)
        change.countsSaves = countsSaves
        change.acceptsAnyType = acceptsAnyType
        return change
    }
}

extension ColumnSchema {
    /// A value that no other row has: NULL, or a random value if the column is `NOT NULL`.
    fileprivate var temporaryValue: TableValue {
        guard isNotNull else { return .null }
        return switch affinity {
        case .integer, .numeric: .integer(.random(in: Int64.min..<0))
        case .real: .real(.random(in: -1e300..<0))
        case .text: .text(UUID().uuidString)
        case .blob: .blob(Data(UUID().uuidString.utf8))
        }
    }
}
