import Replication

/// An item of a list that can be grouped into folders by the parts of its path, between `/`.
protocol FolderItem: Sendable {
    var path: String { get }
    var isConflict: Bool { get }
    /// The device that wrote the item, if it is known.
    var device: DeviceID? { get }
}

/// A folder in a list of ``FolderItem`` values.
struct ListedFolder: Sendable {
    /// The path with `/` at its end.
    let path: String
    /// The number of items, at any depth.
    let count: Int
    let conflictCount: Int
    var byteCount: Int64 = 0
}

/// A row of the shown folder: a folder or an item directly in it.
enum FolderEntry<Item: FolderItem>: Sendable {
    case folder(ListedFolder)
    case item(Item)

    var folder: ListedFolder? { if case .folder(let folder) = self { folder } else { nil } }
    var item: Item? { if case .item(let item) = self { item } else { nil } }
    var count: Int { folder?.count ?? 1 }

    var conflictCount: Int {
        switch self {
        case .folder(let folder): folder.conflictCount
        case .item(let item): item.isConflict ? 1 : 0
        }
    }

    var path: String {
        switch self {
        case .folder(let folder): folder.path
        case .item(let item): item.path
        }
    }

    var row: RowID {
        switch self {
        case .folder(let folder): RowID(folder: folder.path)
        case .item(let item): RowID(item.path)
        }
    }

    /// Returns the folders and items directly in a folder, in natural order.
    ///
    /// - Parameters:
    ///   - count: The number of all items, which are in byte order of their paths.
    ///   - path: Returns the path of an item. It is called more often than `item`.
    ///   - makeFolder: Returns the folder that contains a range of items.
    static func level(
        of folder: String, count: Int, path: (Int) throws -> String,
        item: (Int) throws -> Item, folder makeFolder: (String, Range<Int>) -> ListedFolder
    ) throws -> [Self] {
        try FolderLevel.children(of: folder, count: count, name: path).map { child -> Self in
            switch child {
            case .item(let index): return .item(try item(index))
            case .folder(let path, let range): return .folder(makeFolder(path, range))
            }
        }.inNaturalOrder { $0.path }
    }

    /// Returns the schema of a level. The level's list shows the last parts of paths.
    ///
    /// - Parameter columns: The columns after the names.
    static func schema(
        in folder: String, nameWidth: Int, example: String, _ columns: [ListColumn<Self>]
    ) -> ListSchema<Self> {
        let name = ListColumn<Self>("name", "NAME", minimumWidth: nameWidth, example: example) {
            RowCell(FolderLevel.name(of: $0.path, in: folder), $0.folder == nil ? .key : .link)
        }
        let conflict = ListColumn<Self>.conflict { $0.conflictCount > 0 }
        return ListSchema(
            [name] + columns + [conflict], id: { $0.row },
            mark: { row, entry in
                row.device = entry.item?.device
                row.isConflict = entry.item?.isConflict == true
                row.conflictCount = row.isConflict ? 1 : 0
                row.isFolder = entry.folder != nil
                row.conflictsInside = entry.folder?.conflictCount ?? 0
            })
    }
}
