import Foundation
import GRDB
import ServerCatalog

/// A catalog's file and its companions, without SQLite.
enum CatalogFile {
    /// Whether opening the file would create a write-ahead log beside it.
    static func isInWriteAheadMode(_ path: String) throws -> Bool {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(filePath: path))
        } catch {
            throw ServerCatalogError(
                .noPermission, "\(path) cannot be read: \(error.localizedDescription)",
                cause: error)
        }
        defer { try? handle.close() }
        let header = [UInt8](try handle.read(upToCount: 20) ?? Data())
        guard header.isEmpty || header.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw ServerCatalogError(.notACatalog, "\(path) is no SQLite database")
        }
        // Bytes 18 and 19 of the header are the versions for writing and reading; 2 is WAL.
        return header.count == 20 && (header[18] == 2 || header[19] == 2)
    }

    static func hasJournal(_ path: String) -> Bool { byteCount(path + "-journal") > 0 }

    private static func byteCount(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? Int) ?? 0
    }

    /// The database in memory, as it was after the last complete change.
    ///
    /// The file is copied with its journal or log to a folder of its own, where SQLite may write
    /// to finish what the last writer left.
    static func privateCopy(of path: String) throws -> DatabaseQueue {
        let files = FileManager.default
        let folder = files.temporaryDirectory
            .appending(path: "tideline-catalog-\(UUID().uuidString)", directoryHint: .isDirectory)
        try files.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? files.removeItem(at: folder) }
        // The journal knows the database by its own name, not by the database's.
        let copy = folder.appending(path: "catalog.db").path
        for _ in 0..<3 {
            let before = state(of: path)
            for suffix in ["", "-journal", "-wal"] {
                try? files.removeItem(atPath: copy + suffix)
                guard files.fileExists(atPath: path + suffix) else { continue }
                try files.copyItem(atPath: path + suffix, toPath: copy + suffix)
            }
            guard state(of: path) == before else { continue }
            let source = try DatabaseQueue(path: copy)
            defer { try? source.close() }
            let memory = try DatabaseQueue(configuration: CatalogDatabase.configuration)
            try source.backup(to: memory)
            return memory
        }
        throw ServerCatalogError(.busy, "\(path) is being written by another process")
    }

    private static func state(of path: String) -> [String] {
        ["", "-journal", "-wal"].map { suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return "\(attributes?[.size] ?? "") \(attributes?[.modificationDate] ?? "")"
        }
    }
}
