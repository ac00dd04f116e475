extension PaneID {
    /// The panes of everything that the data models of Tideline show. A store has some of them.
    package static let standard: [PaneID] = [
        .keys, .log, .conflicts, .devices, .blobs, .entities, .types, .documents, .documentHistory,
        .problems, .servers, .tables, .queries, .tableHistory, .stores,
    ]
}
