package import GRDB

/// What can still be read of a damaged log, leaf by leaf, whatever of the rest of the file is
/// damaged. A store says which rows are its own, and how they become a log again.
package protocol Salvage {
    /// Nothing yet.
    init()

    /// What is to be set in the new file before its first table.
    var creationSQL: String { get }
    /// How many rows were found that a log is made of.
    var count: Int { get }
    /// Whether a log can be made of what was found.
    var makesLog: Bool { get }

    /// Takes a row that some table of the file has, if it is one of the log's.
    mutating func add(_ number: Int64, _ values: [TableLeaves.Value])

    /// Takes note that no more come.
    ///
    /// - Parameters:
    ///   - unread: What may have held rows that were not found.
    mutating func finish(_ unread: TableLeaves.Unread)

    /// Writes the rows as another log of `device`, which readers read from its beginning, into an
    /// empty database.
    ///
    /// - Returns: What it has of the old one, as the end of a sentence: "with 3 of 4 rows".
    /// - Throws: `ReplicationError`, `DatabaseError`.
    func write(to db: Database, as device: DeviceID) throws -> String
}

extension Salvage {
    package var creationSQL: String { "" }
    package var makesLog: Bool { count > 0 }
    package mutating func finish(_ unread: TableLeaves.Unread) {}

    /// Reads the log at `path`; `nil` where no row of it can be read.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read.
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

    /// Whether there is something in the log at `path` to make a log of.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read.
    /// - Complexity: O(*n*) in the size of the file up to there; in all of it and that far again
    ///   where only long rows are found.
    package static func findsRows(in path: String) throws -> Bool {
        // Long rows, which take their length in memory, are looked at where no other is found.
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

/// Ends looking through a file.
private struct EnoughFound: Error {}

extension TableLeaves.Value {
    /// The bytes of a blob; inside, `nil` for a value that is null, and outside for any other.
    package var optionalBlob: [UInt8]?? {
        switch self {
        case .null: .some(nil)
        case .blob(let bytes): .some(bytes)
        default: nil
        }
    }

    /// An integer; inside, `nil` for a value that is null, and outside for any other.
    package var optionalInteger: Int64?? {
        switch self {
        case .null: .some(nil)
        case .integer(let number): .some(number)
        default: nil
        }
    }

    /// An integer.
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
