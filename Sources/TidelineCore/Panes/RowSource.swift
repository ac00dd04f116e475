/// A list that the screen shows, and its capabilities: keys, log rows, conflicts, entities, servers.
///
/// A source implements ``ListedRows``. The other protocols have default implementations for lists
/// without the capability.
public protocol RowSource: ListedRows, NestedRows, ConflictedRows, EditableRows, CopyableRows,
    PastRows
{}
