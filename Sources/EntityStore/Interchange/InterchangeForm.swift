/// How entities are written as JSON: `{"entities": [{"type", "identifier", "datestamp", KEY: VALUE}]}`.
///
/// A value in full is an object with one member named for its kind (`string`, `integer`, `double`,
/// `boolean`, `date`, `entity`, `data`, `array`, `dictionary`), and `type` and `datestamp`: dates
/// in ISO 8601, data in base64, a relationship by its target's identifier, a double that JSON cannot
/// write as `"nan"`, `"inf"` or `"-inf"`. Several entries of one property are an array of such
/// objects, the newest first.
public enum InterchangeForm: Hashable, Sendable {
    /// Everything: each entry that counts, in full.
    case normalised
    /// Current values only, without their datestamps; strings, integers, doubles (with a decimal
    /// point), booleans and arrays without objects in them are bare where their semantic type says
    /// no more than their kind.
    case compact
}

/// What an import came to.
public struct InterchangeSummary: Hashable, Sendable {
    /// Entities that were not there.
    public var madeCount = 0
    /// Entities that were there and got entries.
    public var changedCount = 0
    /// Entries that were written.
    public var entryCount = 0
    /// Entries that were there already, with the same value, type and datestamp.
    public var knownCount = 0
    /// What a person should know: an entity that kept a type other than the file's.
    public var notes: [String] = []

    /// A summary of nothing.
    public init() {}
}
