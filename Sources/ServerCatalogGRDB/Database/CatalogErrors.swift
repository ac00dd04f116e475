import Foundation
import GRDB
import Replication
import ServerCatalog

/// Functions that convert other errors to `ServerCatalogError`.
enum CatalogErrors {
    /// Returns the result of `body`. Converts errors to `ServerCatalogError`, with a message that
    /// starts with `what`.
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
            throw ServerCatalogError(.damaged, "\(what): a value has the wrong type", cause: error)
        } catch {
            throw ServerCatalogError(
                code(of: error), "\(what): \(error.localizedDescription)", cause: error)
        }
    }

    /// Returns the code for an error of Foundation's file functions.
    private static func code(of error: any Error) -> ServerCatalogError.Code {
        switch (error as? CocoaError)?.code {
        case .fileReadNoPermission?, .fileWriteNoPermission?, .fileWriteVolumeReadOnly?:
            .noPermission
        default: .inputOutput
        }
    }

    private static func code(of error: ReplicationError) -> ServerCatalogError.Code {
        switch error.code {
        case .notFound: .notFound
        case .incomplete: .incomplete
        case .busy: .busy
        case .noPermission: .noPermission
        case .unsafePath: .notACatalog
        case .cannotCreate: .cannotCreate
        case .inputOutput, .noLocks: .inputOutput
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
        // An expected table or column is missing.
        case .SQLITE_ERROR: .damaged
        default: .inputOutput
        }
    }

    private static func reason(of error: DatabaseError) -> String {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: "another process has locked it"
        case .SQLITE_CANTOPEN: "the file can't be opened or created"
        default: error.message ?? "SQLite error \(error.resultCode.rawValue)"
        }
    }
}
