/// A server as a person sees it: a name in a place, behind which are one or more endpoints.
public struct Logical: Hashable, Sendable, Identifiable {
    public let id: String
    /// What people call it, such as `CH-NY#12`; see ``ServerName`` for its parts.
    public let name: String
    /// The host name that the server answers under.
    public let domain: String
    /// The country where traffic enters; the exit country unless this is a secure core server.
    public let entryCountryCode: String
    /// The country where traffic leaves, by its code of two letters.
    public let exitCountryCode: String
    /// The country where the machine really is, if not the exit country.
    public let hostCountry: String?
    /// The city where traffic leaves, in the service's spelling; `nil` where it names none.
    public let city: String?
    /// The city's name in the language that the catalog was asked for in.
    public let translatedCity: String?
    /// The gateway that the server belongs to; such servers are grouped by it, not by country.
    public let gatewayName: String?
    /// The plan that a customer needs for it; see ``ServerTier``.
    public let tier: Int
    /// What the server can do.
    public let features: ServerFeature
    /// Degrees north of the equator.
    public let latitude: Double
    /// Degrees east of Greenwich.
    public let longitude: Double
    /// What changes from minute to minute.
    public var status: LogicalStatus

    /// A server; `entryCountryCode` is kept for secure core servers only, and is the exit
    /// country for all others.
    public init(
        id: String, name: String, domain: String, entryCountryCode: String? = nil,
        exitCountryCode: String, hostCountry: String? = nil, city: String? = nil,
        translatedCity: String? = nil, gatewayName: String? = nil, tier: Int,
        features: ServerFeature = [], latitude: Double = 0, longitude: Double = 0,
        status: LogicalStatus = LogicalStatus(load: 0, score: 0, status: 1)
    ) {
        self.id = id
        self.name = name
        self.domain = domain
        self.entryCountryCode =
            features.contains(.secureCore) ? entryCountryCode ?? exitCountryCode : exitCountryCode
        self.exitCountryCode = exitCountryCode
        self.hostCountry = hostCountry
        self.city = city
        self.translatedCity = translatedCity
        self.gatewayName = gatewayName
        self.tier = tier
        self.features = features
        self.latitude = latitude
        self.longitude = longitude
        self.status = status
    }

    /// Whether the machine stands in another country than the one it shows (smart routing).
    public var isVirtual: Bool { hostCountry.map { $0 != exitCountryCode } ?? false }

    /// The name taken apart for sorting.
    public var parsedName: ServerName { ServerName(name) }
}

/// The part of a server that the loads file refreshes.
public struct LogicalStatus: Hashable, Sendable {
    /// Per cent of the server's capacity in use.
    public var load: Int
    /// The service's own measure of how near and free the server is; smaller is better.
    public var score: Double
    /// Zero means maintenance.
    public var status: Int

    /// A status as the service tells it; numbers are not checked.
    public init(load: Int, score: Double, status: Int) {
        self.load = load
        self.score = score
        self.status = status
    }
}

/// A fresh status for the server with an identifier, as the loads file has it.
public struct ServerLoad: Hashable, Sendable, Identifiable {
    public let id: String
    /// The server's status now.
    public let status: LogicalStatus

    /// The status of the server with that identifier.
    public init(id: String, status: LogicalStatus) {
        self.id = id
        self.status = status
    }
}
