/// A server with all of its endpoints: what a client needs to connect.
public struct VPNServer: Hashable, Sendable, Identifiable {
    public var logical: Logical
    public let endpoints: [ServerEndpoint]

    public init(logical: Logical, endpoints: [ServerEndpoint]) {
        self.logical = logical
        self.endpoints = endpoints
    }

    public var id: String { logical.id }
}

/// A server and what its endpoints have in common: what a list of servers shows.
///
/// The aggregates are taken over the endpoints that matched the filters.
public struct ServerInfo: Hashable, Sendable, Identifiable {
    public let logical: Logical
    /// Every protocol that at least one endpoint supports.
    public let protocolSupport: ProtocolSupport
    /// Whether the server, or every endpoint of it, is in maintenance.
    public let isUnderMaintenance: Bool

    public init(logical: Logical, protocolSupport: ProtocolSupport, isUnderMaintenance: Bool) {
        self.logical = logical
        self.protocolSupport = protocolSupport
        self.isUnderMaintenance = isUnderMaintenance
    }

    public var id: String { logical.id }
}
