import GRDB

/// A table of an open database, of whatever model.
protocol AnyTable: AnyObject, Sendable {
    var layout: TableLayout { get }
    var columnNames: [String] { get }
    var file: DatabaseFile { get }
    var database: AutoDatabase { get }
    var model: any AutoRecord.Type { get }
    /// Another one after each transaction that changed the table.
    var version: Version { get }

    /// Puts an object on the list of those that the next `saveChanges` saves.
    func list(_ object: any AutoObject)
    /// A transaction that changed the table has been committed.
    func committed(_ changes: TableChanges)
    /// Saves all objects on the list. One that can't be saved doesn't keep others from it.
    ///
    /// - Returns: The objects that can't be saved. They stay on the list.
    func saveListed(in session: WriteSession) throws -> [ObjectFailure]
    var hasListed: Bool { get }
    /// Does now what was to be done later.
    func flushLater() throws
    /// Saves an object of the table's model that another refers to.
    func saveReferred(_ object: any AutoObject, in session: WriteSession) throws
    /// Deletes rows, and does with those that refer to them what the references say.
    func delete(ids: [Int64], in session: WriteSession) throws
    /// Somebody else has committed: reads the objects again that somebody follows.
    func refresh()
    /// Rows that somebody holds have other values in the file.
    func reread(_ ids: [Int64])
    /// Rows that are no longer in the file.
    func dropped(_ ids: [Int64], in session: WriteSession)
    var followers: FollowerList<TableChanges> { get }
    /// Another state of the table.
    func bump()
    /// The columns of rows that are `NULL` now.
    func forget(_ column: String, of ids: [Int64], in session: WriteSession) throws
}

extension AnyTable {
    /// The error of a row that can't be saved.
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
                // Only binding a value throws other errors.
                (
                    AutoModelError.Code.unfitValue,
                    "its column '\(columnNames[column])' has a value that can't be stored: "
                        + ((error as? UnfitValue)?.reason ?? "\(error)")
                )
            }
        return AutoModelError(
            code, "\(file.path): \(row) of '\(layout.name)' can't be saved: \(reason)", ids: [id],
            objects: objects, cause: error)
    }
}

/// A table whose rows are objects.
protocol ObjectTable: AnyTable {
    /// Those that somebody holds.
    var cache: IdentityCache { get }
}

/// Tells one state of a table from the next.
struct Version: Equatable {
    let own: UInt64
    let foreign: UInt32
}

/// Where a table is made. Used by what every model has.
public struct TablePlace {
    let database: AutoDatabase
    let file: DatabaseFile
    let layout: TableLayout
}

/// A table that was made. Used by what every model has.
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
