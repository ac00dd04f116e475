/// The rows of the catalog's tables. Their properties are read from the columns of the same names.
///
/// Programs that only use ``CatalogDatabase`` don't need these types. They are public for custom
/// queries. You can fetch records but not save them: only the catalog writes, because it keeps
/// summaries and search data consistent.
public enum CatalogRecords {}
