import Foundation
import Replication

/// A value in a file about one store.
protocol StoreStateValue: Codable {
    /// The path of the store. ``StoreStateFile`` sets it.
    var store: String { get set }
}

/// A file in the user's state folder about one store. Lines are appended, and the oldest lines are
/// dropped when the file grows too large. Only the owner can read the file.
struct StoreStateFile: Sendable {
    /// The path of the store, with symbolic links resolved.
    private let store: String
    private let folder: URL
    private let name: String

    /// The maximum size of the file in bytes.
    static let limit = 1 << 20

    /// Creates a reference to a file in `folder`. The first write creates both.
    ///
    /// - Parameter ending: The file name extension.
    init(in folder: URL, of store: String, ending: String = "jsonl") {
        let url = URL(filePath: store).standardizedFileURL.resolvingSymlinksInPath()
        self.store = url.path
        self.folder = folder
        let plain = url.lastPathComponent.unicodeScalars.map { scalar in
            scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                ? Character(scalar) : "-"
        }
        // The hash distinguishes stores with the same name.
        let place = String(StableHash.of(self.store.utf8), radix: 16)
        name = "\(String(plain.prefix(60)))-\(place).\(ending)"
    }

    /// The path of the file, whether or not it exists.
    var path: String { folder.appending(path: name).path }

    /// Encodes a value about the store as a line.
    func line(_ value: some StoreStateValue) throws -> Data {
        var value = value
        value.store = store
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value) + Data("\n".utf8)
    }

    /// Appends a line. It is on disk when this returns.
    ///
    /// - Throws: `ReplicationError`; the earlier lines stay unchanged.
    func append(_ line: Data) throws {
        try makeFolder()
        try LockedFile(path).append(line, limit: Self.limit)
    }

    /// Replaces the whole file with one value.
    ///
    /// - Throws: `ReplicationError`; the file stays unchanged.
    func replace(with value: some StoreStateValue) throws {
        try makeFolder()
        try WholeFile.write(try line(value), to: path, isPrivate: true)
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Returns the values about the store, oldest first. Truncated lines are skipped.
    ///
    /// - Throws: `ReplicationError` if the file can't be read.
    func values<Value: StoreStateValue>(of type: Value.Type) throws -> [Value] {
        let data: Data
        do {
            data = try WholeFile.read(path, limit: Int64(4 * Self.limit))
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
        let decoder = JSONDecoder()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { line in
            try? decoder.decode(type, from: Data(line))
        }.filter { $0.store == store }
    }
}
