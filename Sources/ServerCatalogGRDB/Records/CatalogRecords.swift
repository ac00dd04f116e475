/// The rows of the catalog's tables.
///
/// A program that stays with ``CatalogDatabase`` does not meet them; they are public for
/// queries of its own. They can be fetched, but not saved: writing is the catalog's own, which
/// keeps summaries and search in step.
public enum CatalogRecords {}
