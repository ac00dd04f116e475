package import GRDB

/// The rows that can still be read from a damaged log, leaf by leaf, regardless of damage elsewhere
/// in the file. Each store defines which rows are its own and how to build a log from them.
package protocol Salvage {
    /// Creates a value without rows.
    init()

    /// The settings to apply to the new file before its first table is created.
    var creationSQL: String { get }
    /// The number of log rows found.
    var count: Int { get }
    /// Whether the rows found are enough to build a log.
    var makesLog: Bool { get }

    /// Adds a row from any table of the file, if it belongs to the log.
    mutating func add(_ number: Int64, _ values: [TableLeaves.Value])

    /// Ends the search for rows.
    ///
    /// - Parameters:
    ///   - unread: The pages whose rows, if any, were not found.
    mutating func finish(_ unread: TableLeaves.Unread)

    /// Writes the rows into an empty database as a new log of `device`, which readers read from the
    /// start.
    ///
    /// - Returns: A phrase that states how much of the old log was recovered, for the end of a
    ///   sentence: "with 3 of 4 rows".
    /// - Throws: `ReplicationError`, `DatabaseError`.
    func write(to db: Database, as device: DeviceID) throws -> String
}

extension Salvage {
    package var creationSQL: String { "" }
    package var makesLog: Bool { count > 0 }
    package mutating func finish(_ unread: TableLeaves.Unread) {}

    /// Reads the log at `path`. Returns `nil` if no row of it can be read.
    ///
    /// - Throws: `ReplicationError` if the file can't be read.
    /// - Complexity: O(*n*) in the size of the file, in time and in memory.
    package init?(_ path: String) throws {
        self.init()
        for size in try TableLeaves.pageSizes(of: path) {
            var found = Self()
            let unread = try TableLeaves.forEachRow(in: path, pageSize: size) {
                found.add($0, $1)
            }
            found.finish(unread)
            if found.count > count { self = found }
        }
        guard count > 0 else { return nil }
    }

    /// Returns whether the log at `path` contains enough rows to build a new log.
    ///
    /// - Throws: `ReplicationError` if the file can't be read.
    /// - Complexity: O(*n*) in the size of the file up to the first such rows; reads the whole file
    ///   twice if only long rows are found.
    package static func findsRows(in path: String) throws -> Bool {
        // Searches for long rows only if no others are found, because reading a row takes as much
        // memory as its length.
        for longest in [1 << 20, TableLeaves.longest] {
            for size in try TableLeaves.pageSizes(of: path)
            where try findsRow(in: path, pageSize: size, longest: longest) {
                return true
            }
        }
        return false
    }

    private static func findsRow(in path: String, pageSize: Int, longest: Int) throws -> Bool {
        var found = Self()
        do {
            try TableLeaves.forEachRow(in: path, pageSize: pageSize, longest: longest) {
                found.add($0, $1)
                if found.makesLog { throw EnoughFound() }
            }
            return false
        } catch is EnoughFound {
            return true
        }
    }
}

/// An error that stops the search through a file.
private struct EnoughFound: Error {}

extension TableLeaves.Value {
    /// The bytes of a blob. The inner optional is `nil` for a null value, the outer one for any
    /// other type.
    package var optionalBlob: [UInt8]?? {
        switch self {
        case .null: .some(nil)
        case .blob(let bytes): .some(bytes)
        default: nil
        }
    }

    /// An integer. The inner optional is `nil` for a null value, the outer one for any other type.
    package var optionalInteger: Int64?? {
        switch self {
        case .null: .some(nil)
        case .integer(let number): .some(number)
        default: nil
        }
    }

    /// The integer, or `nil` for another type.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
