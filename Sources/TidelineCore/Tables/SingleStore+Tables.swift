import Tables

extension SingleStore {
    /// Returns the store for a database that no data model recognizes.
    ///
    /// - Parameter tables: The names of its tables, in lower case.
    static func database(at path: String, tables: Set<String>) -> Self {
        let isCoreData = tables.isSuperset(of: ["z_metadata", "z_primarykey"])
        return SingleStore(
            name: "tables", format: isCoreData ? "core-data" : "sqlite", place: path,
            parts: { opener in
                [
                    TablesPart(
                        path, device: opener.device, isWritable: opener.isWritable,
                        queries: opener.state?.queries(ofStoreAt: path),
                        model: opener.coreDataModel)
                ]
            },
            info: { try .tables(path) },
            comparisons: { stores in
                let (from, to) = try stores.comparison.presentPaths()
                return [
                    TableComparison(from: TableFile(from), to: TableFile(to), prefix: stores.prefix)
                ]
            },
            examine: { doctor, findings in
                doctor.examineDatabaseFile(&findings) {
                    try isCoreData
                        ? doctor.examineExternalFiles(of: $0, &$1) : doctor.examineLog(at: $0, &$1)
                }
            })
    }
}
