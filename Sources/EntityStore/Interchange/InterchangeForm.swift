/// The JSON form of entities: `{"entities": [{"type", "identifier", "datestamp", KEY: VALUE}]}`.
///
/// A full value is an object with one member named for its kind (`string`, `integer`, `double`,
/// `boolean`, `date`, `entity`, `data`, `array`, `dictionary`), and `type` and `datestamp`. Dates
/// are ISO 8601, data is base64, a relationship is its target's identifier, and a double that JSON
/// can't represent is `"nan"`, `"inf"` or `"-inf"`. Several entries of one property are an array of
/// such objects, newest first.
public enum InterchangeForm: Hashable, Sendable {
    /// Complete: each visible entry as a full value.
    case normalized
    /// Current values only, without datestamps. Strings, integers, doubles (with a decimal point),
    /// booleans and arrays without objects are bare values if they have the default semantic type.
    case compact
}

/// The result of an import.
public struct InterchangeSummary: Hashable, Sendable {
    /// The number of new entities.
    public var madeCount = 0
    /// The number of existing entities that got entries.
    public var changedCount = 0
    /// The number of entities that were deleted, by
    /// ``EntityStore/replace(with:)``.
    public var deletedCount = 0
    /// The number of entries that were written.
    public var entryCount = 0
    /// The number of properties that ``EntityStore/setProperties(of:)`` removed.
    public var removedCount = 0
    /// The number of entries that existed already with the same value, type and datestamp.
    public var knownCount = 0
    /// Warnings for the user: entities that kept their type although the file has another type.
    public var notes: [String] = []

    /// Creates an empty summary.
    public init() {}
}
