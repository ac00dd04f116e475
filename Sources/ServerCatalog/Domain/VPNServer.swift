/// A server with all of its endpoints: what a client needs to connect.
public struct VPNServer: Hashable, Sendable, Identifiable {
    /// The server itself; its status may be refreshed.
    public var logical: Logical
    /// The machines behind it, in the service's order.
    public let endpoints: [ServerEndpoint]

    /// A server with its endpoints; without any, nobody can connect to it.
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
    /// The server itself.
    public let logical: Logical
    /// Every protocol that at least one endpoint supports.
    public let protocolSupport: ProtocolSupport
    /// Whether the server, or every endpoint of it, is in maintenance.
    public let isUnderMaintenance: Bool

    /// A server with the aggregates of its endpoints, already computed.
    public init(logical: Logical, protocolSupport: ProtocolSupport, isUnderMaintenance: Bool) {
        self.logical = logical
        self.protocolSupport = protocolSupport
        self.isUnderMaintenance = isUnderMaintenance
    }

    public var id: String { logical.id }
}
