import GRDB

/// A table of an open database, for any model.
protocol AnyTable: AnyObject, Sendable {
    var layout: TableLayout { get }
    var columnNames: [String] { get }
    var file: DatabaseFile { get }
    var database: AutoDatabase { get }
    var model: any AutoRecord.Type { get }
    /// A value that changes with each transaction that changes the table.
    var version: Version { get }

    /// Returns the records with these identifiers. Missing rows are left out.
    ///
    /// - Parameter finish: Receives work to do after the read transaction.
    func records(
        _ ids: [Int64], _ finish: inout [() -> Void]
    ) throws -> [Int64: any AutoRecord]

    /// Adds an object to the list for the next `saveChanges`.
    func list(_ object: any AutoObject)
    /// Notifies subscribers of a committed transaction that changed the table.
    func committed(_ changes: TableChanges)
    /// Saves all objects on the list. If an object can't be saved, the others are saved anyway.
    ///
    /// - Returns: The objects that can't be saved. They stay on the list.
    func saveListed(in session: WriteSession) throws -> [ObjectFailure]
    var hasListed: Bool { get }
    /// Runs the postponed saves and deletions now.
    func flushLater() throws
    /// Saves an object of this table that another object refers to.
    func saveReferred(_ object: any AutoObject, in session: WriteSession) throws
    /// Deletes rows, and applies the delete rules of references to them.
    func delete(ids: [Int64], in session: WriteSession) throws
    /// Reloads observed objects after another process has committed.
    func refresh()
    /// Reloads objects whose rows have changed.
    func reread(_ ids: [Int64])
    /// Marks the objects of deleted rows as deleted, once the transaction is committed.
    func dropped(_ ids: [Int64], in session: WriteSession)
    var followers: FollowerList<TableChanges> { get }
    /// Changes the table's version.
    func bump()
    /// Sets a column of rows to `NULL`.
    func forget(_ column: String, of ids: [Int64], in session: WriteSession) throws
}

extension AnyTable {
    /// Runs `body` on the file's queue.
    func performed<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result { try await database.perform(on: file, body) }

    /// Sets a column of rows to `NULL` in the file.
    func clear(_ column: String, of ids: [Int64], in db: Database) throws {
        for batch in ids.batches {
            try db.run(
                once: """
                    UPDATE \(quoted(layout.name)) SET \(quoted(column)) = NULL
                    WHERE id IN \(batch.sqlList)
                    """)
        }
    }

    /// Returns the error for a row with a value that can't be read.
    func unreadable(_ id: Int64, _ column: Int, _ error: any Error) -> AutoModelError {
        let reason = (error as? InvalidValue)?.reason ?? "\(error)"
        return AutoModelError(
            .invalidValue,
            "\(file.path): the column '\(columnNames[column])' of the row \(id) of "
                + "'\(layout.name)' can't be read: \(reason)", ids: [id], cause: error)
    }

    /// Returns the error for a row that can't be saved.
    ///
    /// - Parameter column: The number of the column whose value was being bound.
    func explained(
        _ error: any Error, saving id: Int64, _ column: Int, _ objects: [any AutoObject] = []
    ) -> any Error {
        if error is AutoModelError { return error }
        let row = id == 0 ? "a new row" : "the row \(id)"
        let (code, reason) =
            if let error = error as? DatabaseError {
                error.explanation
            } else {
                // Errors of other types are thrown while binding a value.
                (
                    AutoModelError.Code.invalidValue,
                    "its column '\(columnNames[column])' has a value that can't be stored: "
                        + ((error as? InvalidValue)?.reason ?? "\(error)")
                )
            }
        return AutoModelError(
            code, "\(file.path): \(row) of '\(layout.name)' can't be saved: \(reason)", ids: [id],
            objects: objects, cause: error)
    }
}

/// A table whose rows are objects.
protocol ObjectTable: AnyTable {
    /// The objects in use.
    var cache: IdentityCache { get }
}

/// A value that differs between states of a table.
struct Version: Equatable {
    let own: UInt64
    let foreign: UInt32
}

/// The place for a new table. For code that the macro generates.
public struct TablePlace {
    let database: AutoDatabase
    let file: DatabaseFile
    let layout: TableLayout
}

/// A new table. For code that the macro generates.
public struct TableBox {
    let table: any AnyTable
}

extension AutoObject {
    public static func _$table(_ place: TablePlace) -> TableBox {
        TableBox(table: ModelTable<Self>(place))
    }
}

extension AutoValue {
    public static func _$table(_ place: TablePlace) -> TableBox {
        TableBox(table: ValueTable<Self>(place))
    }
}
