import Foundation
import Replication

/// A file in the user's state folder that is about one store: lines that are appended, the oldest of
/// which go when it grows too long. What it holds is its owner's, so nobody else may read it.
struct StoreNotes: Sendable {
    /// The store that it is about, symbolic links resolved.
    let store: String
    private let folder: URL
    private let name: String

    /// More bytes than this the file does not keep.
    static let limit = 1 << 20

    /// - Parameters:
    ///   - folder: The folder of such files; made when the first is written.
    ///   - store: The path of the store.
    ///   - ending: What the file's name ends with.
    init(in folder: URL, of store: String, ending: String = "jsonl") {
        let url = URL(filePath: store).standardizedFileURL.resolvingSymlinksInPath()
        self.store = url.path
        self.folder = folder
        let plain = url.lastPathComponent.unicodeScalars.map { scalar in
            scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                ? Character(scalar) : "-"
        }
        // Which of several stores of one name.
        let place = String(StableHash.of(self.store.utf8), radix: 16)
        name = "\(String(plain.prefix(60)))-\(place).\(ending)"
    }

    /// Where it is, or would be.
    var path: String { folder.appending(path: name).path }

    /// A value as a line.
    static func line(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value) + Data("\n".utf8)
    }

    /// Appends a line. When this returns it is on disk.
    ///
    /// - Throws: `ReplicationError`; the lines before stay as they are.
    func append(_ line: Data) throws {
        try makeFolder()
        try LockedFile(path).append(line, limit: Self.limit)
    }

    /// Puts one line in place of the whole file.
    ///
    /// - Throws: `ReplicationError`; the file stays as it was.
    func replace(with line: Data) throws {
        try makeFolder()
        try WholeFile.write(line, to: path)
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// The values of all lines, oldest first; a line that was cut is passed over.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read at all.
    func values<Value: Decodable>(of type: Value.Type) throws -> [Value] {
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
        }
    }
}
