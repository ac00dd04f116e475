/// A list that the screen shows, such as keys, log rows, conflicts, entities or servers, and its
/// capabilities.
///
/// A source implements ``ListedRows``. Each of the other protocols declares a capability, and has
/// default implementations for lists without it.
public protocol RowSource: ListedRows, NestedRows, ConflictedRows, EditableRows, CopyableRows,
    PastRows
{}
