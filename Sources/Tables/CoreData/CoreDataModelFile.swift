import Foundation
import KeyValueStore
import Replication

/// A compiled Core Data model in a `.mom` file, or in a `.momd` folder with one file per version.
///
/// A store contains its own model unless it was made by an old version of Core Data, or by a
/// program that empties the table of the model.
public struct CoreDataModelFile: Sendable {
    /// The path of the file or folder.
    public let path: String
    private let versions: [Version]

    private struct Version: Sendable {
        let archive: ModelArchive
        /// The hashes of the entities, if the folder lists them.
        let hashes: [Name: PropertyList]?
        let isCurrent: Bool
    }

    /// The maximum number of bytes of a file.
    private static let byteLimit: Int64 = 64 << 20
    /// The maximum number of files to read.
    private static let fileLimit = 200

    /// Reads the model at a path.
    ///
    /// - Throws: ``TablesError`` with code `.unreadable` if the item isn't a compiled model.
    public init(_ path: String) throws(TablesError) {
        self.path = path
        let url = URL(filePath: path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw TablesError(.unreadable, "\(path): no such file or folder")
        }
        if url.pathExtension.hasPrefix("xcdatamodel") {
            throw TablesError(
                .unreadable,
                "\(path): the source of a model; specify the .momd that Xcode makes from it")
        }
        versions = isFolder.boolValue ? Self.versions(in: url) : Self.version(at: url)
        guard !versions.isEmpty else {
            throw TablesError(.unreadable, "\(path): not a compiled Core Data model")
        }
    }

    /// Returns the models next to a store.
    static func beside(_ store: String) -> [CoreDataModelFile] {
        let folder = URL(filePath: store).deletingLastPathComponent()
        return files(in: folder, extensions: ["momd", "mom"]).compactMap { try? Self($0.path) }
    }

    private static func versions(in folder: URL) -> [Version] {
        let info = content(of: folder.appending(path: "VersionInfo.plist"))
            .flatMap { try? PropertyList(propertyListFile: $0) }
        var current: String?
        var hashes: [Name: PropertyList] = [:]
        if case .dictionary(let members)? = info {
            if case .string(let name)? = members["NSManagedObjectModel_CurrentVersionName"] {
                current = name
            }
            if case .dictionary(let all)? = members["NSManagedObjectModel_VersionHashes"] {
                hashes = all
            }
        }
        return files(in: folder, extensions: ["mom"]).compactMap { url in
            guard let archive = content(of: url).flatMap(ModelArchive.init) else { return nil }
            let name = url.deletingPathExtension().lastPathComponent
            var own: [Name: PropertyList]?
            if case .dictionary(let entities)? = hashes[Name(name)] { own = entities }
            return Version(archive: archive, hashes: own, isCurrent: name == current)
        }
    }

    private static func version(at url: URL) -> [Version] {
        guard let archive = content(of: url).flatMap(ModelArchive.init) else { return [] }
        return [Version(archive: archive, hashes: nil, isCurrent: true)]
    }

    private static func files(in folder: URL, extensions: [String]) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
            .filter { extensions.contains($0.pathExtension.lowercased()) }
            .prefix(fileLimit).map(\.self)
    }

    private static func content(of url: URL) -> Data? {
        try? WholeFile.read(url.path, limit: byteLimit)
    }

    /// Returns the version that a store was made with.
    ///
    /// - Parameters:
    ///   - hashes: The hashes of the entities in the store's metadata.
    ///   - entities: The names of the store's entities.
    /// - Returns: `nil` if no version describes all entities.
    func archive(hashes: [Name: PropertyList]?, entities: some Collection<String>) -> ModelArchive?
    {
        if let hashes, let exact = versions.first(where: { $0.hashes == hashes }) {
            return exact.archive
        }
        let complete = versions.filter { version in
            entities.allSatisfy { version.archive.entities[$0] != nil }
        }
        return (complete.first(where: \.isCurrent) ?? complete.last)?.archive
    }
}
