import Foundation
import GRDB
import Replication
import ServerCatalog

/// Turns errors of SQLite into the catalog's own.
enum CatalogFailure {
    /// What `body` returns; its errors become `ServerCatalogError`, `what` in front.
    static func wrapping<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ServerCatalogError {
            throw error
        } catch let error as ReplicationError {
            throw ServerCatalogError(code(of: error), error.message, cause: error)
        } catch let error as DatabaseError {
            throw ServerCatalogError(code(of: error), "\(what): \(reason(of: error))", cause: error)
        } catch let error as RowDecodingError {
            throw ServerCatalogError(.damaged, "\(what): a value is not of its kind", cause: error)
        } catch {
            throw ServerCatalogError(
                .inputOutput, "\(what): \(error.localizedDescription)", cause: error)
        }
    }

    private static func code(of error: ReplicationError) -> ServerCatalogError.Code {
        switch error.code {
        case .notFound: .notFound
        case .incomplete, .busy: .busy
        case .noPermission, .unsafePath: .noPermission
        case .cannotCreate: .cannotCreate
        case .inputOutput: .inputOutput
        case .unconfirmed: .unconfirmed
        default: .damaged
        }
    }

    private static func code(of error: DatabaseError) -> ServerCatalogError.Code {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_CORRUPT: .damaged
        case .SQLITE_NOTADB: .notACatalog
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_PERM, .SQLITE_AUTH: .noPermission
        case .SQLITE_CANTOPEN: .cannotCreate
        // A table or column that should be there is missing.
        case .SQLITE_ERROR: .damaged
        default: .inputOutput
        }
    }

    private static func reason(of error: DatabaseError) -> String {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another process holds it"
        case .SQLITE_CANTOPEN: "the file cannot be opened or created"
        default: error.message ?? "SQLite error \(error.resultCode.rawValue)"
        }
    }
}
