import AutoModel
import Foundation
import TestSupport
import Testing

/// Runs `body` with a temporary database.
func withDatabase<Result>(
    _ models: any AutoRecord.Type...,
    configure: (inout AutoDatabase.Configuration) -> Void = { _ in },
    _ body: (AutoDatabase) async throws -> Result
) async throws -> Result {
    let folder = try TemporaryFolder()
    var configuration = AutoDatabase.Configuration()
    configure(&configuration)
    let database = try opened(folder.appending("models.db"), models, configuration)
    defer { try? database.close() }
    return try await database.use { try await body(database) }
}

/// The synchronous form, in which models' synchronous methods are chosen.
func withOpened<Result>(
    _ models: any AutoRecord.Type...,
    configure: (inout AutoDatabase.Configuration) -> Void = { _ in },
    _ body: (AutoDatabase) throws -> Result
) throws -> Result {
    let folder = try TemporaryFolder()
    var configuration = AutoDatabase.Configuration()
    configure(&configuration)
    let database = try opened(folder.appending("models.db"), models, configuration)
    defer { try? database.close() }
    return try database.use { try body(database) }
}

/// Opens a file with an array of models.
func opened(
    _ path: String, _ models: [any AutoRecord.Type],
    _ configuration: AutoDatabase.Configuration = .init()
) throws -> AutoDatabase {
    try AutoDatabase.open(at: path, models: models, configuration: configuration)
}

extension AutoDatabase {
    /// Expects the rows of a query.
    func expect(
        _ sql: String, _ rows: [[SQLValue]], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try self.rows(sql)
        #expect(found == rows, sourceLocation: sourceLocation)
    }
}
