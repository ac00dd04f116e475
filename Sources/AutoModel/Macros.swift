/// Gives a class or struct a table in an SQLite file, with a column for each stored `var`.
///
/// ```swift
/// @AutoModel final class Artist {
///     var name = ""
///     var formed: Date?
///     var words: [String] = []
/// }
///
/// let database = try await AutoDatabase.open(at: path, models: Artist.self)
/// let nina = try Artist.create { $0.name = "Nina Simone" }
/// try await nina.save()
/// ```
///
/// Objects of a class have an identity: every fetch of a row returns the same object. Structs are
/// plain values. The table has the name of the type. If the declaration changes, the table is
/// migrated when the database is next opened.
///
/// If a class declares conformance to `Observable`, the Observation framework tracks its
/// properties.
///
/// - Parameters:
///   - table: The table's name; by default the type's name.
///   - ids: How new rows get their identifiers.
///   - file: The name of the file that holds the table, if the database has several.
///   - tracksChanges: Whether setting a property of an object counts as a change. If `false`,
///     setting properties is faster, but only `save()` and `saveLater()` save an object again, with
///     all its columns. `saveChanges()` saves only new objects, and `hasChanges` is always `true`.
///     A fetch after another process has written replaces values that aren't saved.
///   - formerly: All earlier names of the table.
@attached(
    member, names: named(_$Values), named(_$values), named(_$state), named(_$registrar),
    named(Columns), named(_$declaration), named(init), named(_$awakes), named(_$tracksChanges),
    named(_$notify), named(id), named(_$describe), named(_$bind), named(_$read))
@attached(memberAttribute)
@attached(extension, conformances: AutoRecord, AutoObject, AutoValue)
public macro AutoModel(
    _ table: String? = nil, ids: IDPolicy = .random, file: String? = nil,
    tracksChanges: Bool = true, formerly: String...
) = #externalMacro(module: "AutoModelMacros", type: "AutoModelMacro")

/// Names and configures a property's column.
///
/// - Parameters:
///   - name: The column's name.
///   - options: Indexes and constraints of the column.
///   - formerly: All earlier names of the column.
@attached(peer)
public macro Column(_ name: String, _ options: ColumnOption..., formerly: String...) =
    #externalMacro(module: "AutoModelMacros", type: "MarkerMacro")

/// Configures a property's column.
///
/// - Parameters:
///   - options: Indexes and constraints of the column.
///   - formerly: All earlier names of the column.
@attached(peer)
public macro Column(_ options: ColumnOption..., formerly: String...) =
    #externalMacro(module: "AutoModelMacros", type: "MarkerMacro")

/// Excludes a property from the table. Its value exists only in memory. Any thread can use the
/// property.
@attached(peer)
public macro Excluded() = #externalMacro(module: "AutoModelMacros", type: "MarkerMacro")

/// Adds the accessors of a column. Attached by ``AutoModel(_:ids:file:tracksChanges:formerly:)``.
@attached(accessor)
public macro _AutoColumn(_ column: Int, observed: Bool = false) =
    #externalMacro(module: "AutoModelMacros", type: "StoredPropertyMacro")

/// Adds the accessors of an excluded property. Attached by
/// ``AutoModel(_:ids:file:tracksChanges:formerly:)``.
@attached(accessor)
public macro _AutoExcluded(observed: Bool = false) =
    #externalMacro(module: "AutoModelMacros", type: "ExcludedPropertyMacro")

/// Adds the getter of a relation. Attached by ``AutoModel(_:ids:file:tracksChanges:formerly:)``.
@attached(accessor)
public macro _AutoRelation(_ slot: Int) =
    #externalMacro(module: "AutoModelMacros", type: "RelationPropertyMacro")
