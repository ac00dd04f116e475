/// The rows of the catalog's tables. Their properties are read from the columns of the same names.
///
/// Programs that only use ``CatalogDatabase`` don't need these types. The types are public for
/// custom queries. You can fetch records but not save records: only the catalog writes, because the
/// catalog keeps summaries and search data consistent.
public enum CatalogRecords {}
