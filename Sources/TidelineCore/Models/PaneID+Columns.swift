extension PaneID {
    /// The names of the columns of each pane in ``standard``, by which settings select them: the
    /// identifiers and, if they differ, the titles in lower case.
    ///
    /// Settings are checked without opening a store, so the names can't be read from its panes. A
    /// test compares both.
    package static let standardColumns: [PaneID: [String]] = [
        .keys: ["key", "value", "type", "device", "age"],
        .log: ["time", "device", "key", "value", "parent", "based on", "id", "row"],
        .conflicts: ["name", "kind", "winner", "device", "others", "age"],
        .devices: ["device", "state", "rows", "age", "behind", "format", "problem"],
        .blobs: ["blob", "size", "bytes", "age"],
        .entities: ["name", "type", "properties", "age", "device", "identifier"],
        .types: ["type", "entities", "properties"],
        // The list of documents, and the content of a single file.
        .documents: [
            "document", "size", "chunks", "device", "devices", "age", "id", "key", "value", "type",
            "actor",
        ],
        .documentHistory: ["change", "actor", "time", "message", "ops", "deps", "based on", "seq"],
        .problems: ["severity", "problem", "file", "device", "code"],
        .servers: [
            "name", "country", "code", "servers", "cities", "tiers", "features", "protocols",
        ],
        .tables: ["name", "table", "type", "rows", "columns"],
        .queries: ["name", "query", "sql", "state"],
        .tableHistory: [
            "date", "change", "entity", "row", "transaction", "tx", "properties", "author",
        ],
        .stores: ["store", "kind", "size", "age", "format", "devices"],
    ]
}
