public import Foundation
public import Replication

/// The folder next to a Core Data store that contains large values, each in a file.
public struct ExternalFolder: Sendable {
    private let parent: RootedFolder
    private let steps: [String]

    /// Creates a value without accessing the folder.
    ///
    /// - Parameter store: The path of the store.
    public init(of store: String) {
        let url = URL(filePath: store)
        parent = RootedFolder(url.deletingLastPathComponent().path)
        let name = url.deletingPathExtension().lastPathComponent
        steps = [".\(name)_SUPPORT", "_EXTERNAL_DATA"]
    }

    /// The path of the folder.
    public var path: String { ([parent.path] + steps).joined(separator: "/") }

    /// Returns the value in a file.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Throws: `ReplicationError`: `.notFound`; `.tooLarge`; `.incomplete` for a file that
    ///   changes during the read.
    public func content(of name: String, limit: Int) throws(ReplicationError) -> Data {
        try parent.read(name, in: steps, limit: Int64(limit))
    }

    /// Returns the number of bytes of a value; `nil` if its file doesn't exist.
    ///
    /// - Throws: `ReplicationError` if the folder can't be read.
    public func byteCount(of name: String) throws(ReplicationError) -> Int? {
        do {
            let file = try parent.entry(named: name, in: steps)
            return file.flatMap { $0.isFolder ? nil : Int(clamping: $0.byteCount) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Returns the names of the files; none if the folder doesn't exist.
    func names() throws(ReplicationError) -> Set<String> {
        do {
            return Set(try parent.entries(steps).filter { !$0.isFolder }.map(\.name))
        } catch {
            guard error.code == .notFound else { throw error }
            return []
        }
    }
}

extension NamedTable {
    /// Returns the values of a row, with the contents of external files instead of their names.
    ///
    /// - Parameters:
    ///   - values: The values of ``columns``.
    ///   - folder: The store's folder of files.
    ///   - limit: The maximum number of bytes of a file.
    /// - Returns: The values, and the names of the files that don't exist. Their values are
    ///   unchanged.
    /// - Throws: As ``ExternalFolder/content(of:limit:)``, except `.notFound`.
    public func inlining(
        _ values: [TableValue], from folder: ExternalFolder, limit: Int
    ) throws(ReplicationError) -> (values: [TableValue], missing: [String]) {
        var (values, missing) = (values, [String]())
        for (index, column) in columns.enumerated()
        where column.isExternalBinary && values.indices.contains(index) {
            guard case .blob(let stored) = values[index],
                case .file(let name)? = ExternalBinary(stored: stored)
            else { continue }
            do {
                let content = try folder.content(of: name, limit: limit)
                values[index] = .blob(ExternalBinary.stored(content))
            } catch {
                guard error.code == .notFound else { throw error }
                missing.append(name)
            }
        }
        return (values, missing)
    }
}
