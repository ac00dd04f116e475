import GRDB

/// Runs SQL on a database file, as another program would, and closes the file.
///
/// - Parameter isTransaction: Whether to run all statements in one transaction.
public func runSQL(_ sql: String, at path: String, isTransaction: Bool = true) throws {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    if isTransaction {
        try queue.write { try $0.execute(sql: sql) }
    } else {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}
