import Replication

extension PaneID {
    /// The panes of everything that the data models of Tideline show, each with its columns. A store
    /// has some of them.
    ///
    /// Settings are checked against this list, because that doesn't require opening a store.
    package static let standardColumns: [(pane: PaneID, columns: [Column])] = [
        (.keys, KeysSource.schema.columns),
        (.log, LogItem.schema.columns),
        (.conflicts, AllConflictsSource.columns),
        (.devices, DevicesSource.columns),
        (.blobs, BlobRows.blobs.columns),
        (.entities, EntityRow.flat(deviceName: \.name).columns),
        (.types, TypesSource.columns),
        // The list of documents, and the content of a single file.
        (
            .documents,
            DocumentList.schema(showsDevices: true).columns + DocumentRows.entries.columns
        ),
        (.documentHistory, ChangesSource.columns),
        (.problems, ProblemsSource.columns),
        (.servers, ListedGroup.schema.columns),
        (.tables, TablesSource.columns),
        (.queries, QueriesSource.columns),
        (.tableHistory, HistorySource.schema.columns),
        (.stores, StoresSource.columns),
    ]

    /// The panes of everything that the data models of Tideline show.
    package static let standard = standardColumns.map { $0.pane }
}
