/// What an import did.
public struct ImportReport: Hashable, Sendable {
    /// A record that was left out.
    public struct BadRecord: Hashable, Sendable {
        /// Its place in the file's array, from zero.
        public let index: Int
        /// Its identifier, or its name, where it has one.
        public let name: String?
        /// What is wrong with it.
        public let reason: String

        /// A record that was left out, and why.
        public init(index: Int, name: String?, reason: String) {
            self.index = index
            self.name = name
            self.reason = reason
        }
    }

    /// How many records were taken over.
    public var imported = 0
    /// How many of the servers taken over have no endpoint: lists leave them out.
    public private(set) var withoutEndpointsCount = 0
    /// The names of the first hundred of them.
    public private(set) var withoutEndpoints: [String] = []
    /// Records of loads whose server is not in the catalog.
    public var unknown = 0
    /// Servers deleted because the file did not list them.
    public var deleted = 0
    /// How many records were left out, those beyond the first hundred included.
    public var badCount = 0
    /// The first hundred of the bad records.
    public var bad: [BadRecord] = []

    /// A report of nothing.
    public init() {}

    /// How many of the servers taken over a list shows.
    public var listable: Int { imported - withoutEndpointsCount }

    /// Counts a server that was taken over.
    public mutating func add(_ server: VPNServer) {
        imported += 1
        guard server.endpoints.isEmpty else { return }
        withoutEndpointsCount += 1
        if withoutEndpoints.count < 100 { withoutEndpoints.append(server.logical.name) }
    }

    /// Counts a record that was left out; the first hundred are kept.
    public mutating func add(_ record: BadRecord) {
        badCount += 1
        if bad.count < 100 { bad.append(record) }
    }
}
