/// The rows of the catalog's tables.
///
/// A program that stays with ``CatalogDatabase`` does not meet them; they are public for
/// queries of its own.
public enum CatalogRecords {}
