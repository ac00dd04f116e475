import BenchSupport

/// The comparison of stores.
struct CompareSuite: Suite {
    static let name = "compare"
    static let abstract = "Differences and extracts of stores of 1,000,000 rows."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        try TableDifferenceMeasurement().run(options, into: &report)
        try StoreDifferenceMeasurement().run(options, into: &report)
    }
}
