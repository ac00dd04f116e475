/// A server with all its endpoints: the data that a client needs to connect.
public struct VPNServer: Hashable, Sendable, Codable, Identifiable {
    /// The server as the service lists it, with its status.
    public var logical: Logical
    /// The server's machines, in the service's order.
    public let endpoints: [ServerEndpoint]

    /// Creates a server. Clients can't connect to a server without endpoints.
    public init(logical: Logical, endpoints: [ServerEndpoint]) {
        self.logical = logical
        self.endpoints = endpoints
    }

    public var id: String { logical.id }
}

/// A server and the aggregates of its endpoints, for an entry in a list.
///
/// The aggregates cover the endpoints that matched the filters.
public struct ServerInfo: Hashable, Sendable, Codable, Identifiable {
    /// The server.
    public let logical: Logical
    /// The protocols that at least one endpoint supports.
    public let protocolSupport: ProtocolSupport
    /// Whether the server, or every one of its endpoints, is in maintenance.
    public let isUnderMaintenance: Bool

    /// Creates an entry from computed aggregates.
    public init(logical: Logical, protocolSupport: ProtocolSupport, isUnderMaintenance: Bool) {
        self.logical = logical
        self.protocolSupport = protocolSupport
        self.isUnderMaintenance = isUnderMaintenance
    }

    public var id: String { logical.id }
}
