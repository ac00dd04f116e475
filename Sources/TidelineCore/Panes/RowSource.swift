/// A list that the screen shows, such as keys, log rows, conflicts, entities or servers, and its
/// capabilities.
///
/// A source implements ``ListedRows``. The other protocols have default implementations for lists
/// without the capability.
public protocol RowSource: ListedRows, NestedRows, ConflictedRows, EditableRows, CopyableRows,
    PastRows
{}
