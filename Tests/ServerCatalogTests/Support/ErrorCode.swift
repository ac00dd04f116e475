import ServerCatalog

/// Returns the code of the error that a closure throws; `nil` if it throws none.
func code(_ body: () throws -> Void) -> ServerCatalogError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? ServerCatalogError)?.code
    }
}
