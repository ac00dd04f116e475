/// The result of an import.
public struct ImportReport: Hashable, Sendable {
    /// A record that was skipped.
    public struct BadRecord: Hashable, Sendable {
        /// The index in the file's array, from zero.
        public let index: Int
        /// The identifier or the name of the record, if it has one.
        public let name: String?
        /// The reason why the record was skipped.
        public let reason: String
    }

    /// The number of imported records.
    public var imported = 0
    /// The number of imported servers without endpoints, which lists leave out.
    public private(set) var withoutEndpointsCount = 0
    /// The names of the first hundred servers without endpoints.
    public private(set) var withoutEndpoints: [String] = []
    /// The number of load records whose server is not in the catalog.
    public var unknown = 0
    /// The number of servers deleted because the file did not list them.
    public var deleted = 0
    /// The number of skipped records, including those that ``bad`` leaves out.
    public var badCount = 0
    /// The first hundred skipped records.
    public var bad: [BadRecord] = []

    /// Creates an empty report.
    public init() {}

    /// The number of imported servers that lists show.
    public var listable: Int { imported - withoutEndpointsCount }

    /// Counts an imported server.
    public mutating func add(_ server: VPNServer) {
        imported += 1
        guard server.endpoints.isEmpty else { return }
        withoutEndpointsCount += 1
        if withoutEndpoints.count < 100 { withoutEndpoints.append(server.logical.name) }
    }

    /// Counts a skipped record. The first hundred are kept.
    public mutating func add(_ record: BadRecord) {
        badCount += 1
        if bad.count < 100 { bad.append(record) }
    }
}
