/// Makes a table of a class or a struct: a column for each stored `var`, and nothing else to write.
///
/// ```swift
/// @AutoModel final class Artist {
///     var name = ""
///     var formed: Date?
///     var words: [String] = []
/// }
/// ```
///
/// Objects of a class have an identity: one object a row, whichever way it was fetched. Structs are
/// plain values of a table. The table's name is that of the type, and a change to the declaration
/// changes the table when the database is next opened.
///
/// A class that conforms to `Observable` in its declaration tells views of its changes.
///
/// - Parameters:
///   - table: The table's name, where it is not that of the type.
///   - ids: How new rows get their identifiers.
///   - file: The file that holds the table, of those that the database is opened with.
///   - formerly: All names that the table has had.
@attached(
    member, names: named(_$Values), named(_$values), named(_$state), named(_$registrar),
    named(Columns), named(_$declaration), named(init), named(_$awakes), named(_$notify), named(id),
    named(_$describe), named(_$bind), named(_$read))
@attached(memberAttribute)
@attached(extension, conformances: AutoRecord, AutoObject, AutoValue)
public macro AutoModel(
    _ table: String? = nil, ids: IDPolicy = .random, file: String? = nil, formerly: String...
) = #externalMacro(module: "AutoModelMacros", type: "AutoModelMacro")

/// Says more of a property's column.
///
/// - Parameters:
///   - name: The column's name.
///   - options: What else there is for the column.
///   - formerly: All names that the column has had.
@attached(peer)
public macro Column(_ name: String, _ options: ColumnOption..., formerly: String...) =
    #externalMacro(module: "AutoModelMacros", type: "MarkerMacro")

/// Says more of a property's column.
///
/// - Parameters:
///   - options: What there is for the column.
///   - formerly: All names that the column has had.
@attached(peer)
public macro Column(_ options: ColumnOption..., formerly: String...) =
    #externalMacro(module: "AutoModelMacros", type: "MarkerMacro")

/// Leaves a property out of the table: it is kept in memory, as safe from any thread as the others.
@attached(peer)
public macro Excluded() = #externalMacro(module: "AutoModelMacros", type: "MarkerMacro")

/// The accessors of a column; attached by ``AutoModel(_:ids:file:formerly:)``.
@attached(accessor)
public macro _AutoColumn(_ column: Int, observed: Bool = false) =
    #externalMacro(module: "AutoModelMacros", type: "StoredPropertyMacro")

/// The accessors of an excluded property; attached by ``AutoModel(_:ids:file:formerly:)``.
@attached(accessor)
public macro _AutoExcluded(observed: Bool = false) =
    #externalMacro(module: "AutoModelMacros", type: "ExcludedPropertyMacro")

/// The getter of a relation; attached by ``AutoModel(_:ids:file:formerly:)``.
@attached(accessor)
public macro _AutoRelation(_ slot: Int) =
    #externalMacro(module: "AutoModelMacros", type: "RelationPropertyMacro")
