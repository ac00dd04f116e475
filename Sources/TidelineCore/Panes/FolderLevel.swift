import Replication

/// The folders and items directly below a prefix, in a list of names in byte order. `/` separates
/// the parts of names.
enum FolderLevel {
    /// A folder or an item.
    enum Child: Hashable {
        /// A path with `/` at its end, and the items whose names start with it.
        case folder(String, Range<Int>)
        /// An item whose name has no further `/`.
        case item(Int)
    }

    /// Returns the folders and items below a prefix.
    ///
    /// - Parameters:
    ///   - prefix: Empty, or the path of a folder with `/` at its end.
    ///   - count: The number of names.
    ///   - name: Returns the name at an index.
    /// - Throws: Errors of `name`; `CancellationError`.
    /// - Complexity: O(*m* log *n*) in the number of folders *m* and of names *n*, and O(1) for
    ///   each item.
    static func children(
        of prefix: String, count: Int, name: (Int) throws -> String
    ) throws -> [Child] {
        var children: [Child] = []
        let start = prefix.utf8.count
        let range = try range(of: prefix, in: 0..<count, name: name)
        var index = range.lowerBound
        while index < range.upperBound {
            if children.count % 1_024 == 0 { try Task.checkCancellation() }
            let bytes = try name(index).utf8
            let rest = bytes.dropFirst(start)
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
                children.append(.item(index))
                index += 1
                continue
            }
            let folder = String(Substring(bytes[...slash]))
            let inside = try self.range(of: folder, in: index..<range.upperBound, name: name)
            children.append(.folder(folder, inside))
            index = inside.upperBound
        }
        return children
    }

    /// Returns the part of a path after the path of the containing folder.
    static func name(of path: String, in folder: String) -> String {
        String(Substring(path.utf8.dropFirst(folder.utf8.count)))
    }

    /// Returns the indexes of the names that start with `prefix`, in a list in byte order.
    ///
    /// - Parameter range: The indexes to search.
    /// - Throws: Errors of `name`.
    static func range(
        of prefix: String, in range: Range<Int>, name: (Int) throws -> String
    ) rethrows -> Range<Int> {
        let bound = Name(prefix)
        let start = try range.firstPosition { try Name(name($0)) >= bound }
        let end = try (start..<range.upperBound).firstPosition {
            try !Name(name($0)).hasPrefix(prefix)
        }
        return start..<end
    }
}
