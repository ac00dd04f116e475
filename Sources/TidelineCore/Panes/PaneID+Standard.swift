import Replication

extension PaneID {
    /// All panes that a store can have, in the order of the tabs, each with its columns.
    ///
    /// With this list, the settings can be checked without opening a store.
    package static let standardColumns: [(pane: PaneID, columns: [Column])] = [
        (.keys, KeysSource.schema.columns),
        (.log, LogItem.schema.columns),
        (.conflicts, AllConflictsSource.columns),
        (.entities, EntityRow.flat(deviceName: \.name).columns),
        (.types, TypesSource.columns),
        // The list of documents, and the content of a single file.
        (
            .documents,
            DocumentList.schema(showsDevices: true).columns + DocumentRows.entries.columns
        ),
        (.documentHistory, ChangesSource.columns),
        (.servers, ListedGroup.schema.columns),
        (.devices, DevicesSource.columns),
        (.blobs, BlobRows.blobs.columns),
        (.problems, ProblemsSource.columns),
        (.tables, TablesSource.columns),
        (.queries, QueriesSource.columns),
        (.tableHistory, CoreDataHistorySource.schema.columns),
        (.stores, StoresSource.columns),
    ]

    /// All panes that a store can have.
    package static let standard = standardColumns.map { $0.pane }
}
