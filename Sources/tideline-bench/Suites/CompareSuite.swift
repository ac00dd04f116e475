import BenchSupport

/// The comparison of stores.
struct CompareSuite: Suite {
    static let name = "compare"
    static let abstract = "The difference of two tables of 1,000,000 rows."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        try TableDifferenceMeasurement().run(options, into: &report)
    }
}
