/// A server as users see it: a name and a location, with one or more endpoints.
public struct Logical: Hashable, Sendable, Codable, Identifiable {
    public let id: String
    /// The display name, such as `CH-NY#12`. See ``ServerName`` for its parts.
    public let name: String
    /// The server's host name.
    public let domain: String
    /// The two-letter code of the country where traffic enters. For all servers except secure core
    /// servers, this is the exit country.
    public let entryCountryCode: String
    /// The two-letter code of the country where traffic leaves.
    public let exitCountryCode: String
    /// The country where the machine is located, if it isn't the exit country; otherwise `nil`.
    public let hostCountry: String?
    /// The city where traffic leaves, in the service's spelling; `nil` if the service names none.
    public let city: String?
    /// The city's name in the language that the catalog was requested in.
    public let translatedCity: String?
    /// The gateway that the server belongs to, if any. Servers of a gateway are grouped by gateway,
    /// not by country.
    public let gatewayName: String?
    /// The plan that a customer needs for the server. See ``ServerTier``.
    public let tier: Int
    /// The server's features.
    public let features: ServerFeature
    /// The latitude in degrees, north positive.
    public let latitude: Double
    /// The longitude in degrees, east positive.
    public let longitude: Double
    /// The server's load, score and maintenance state, which change every minute.
    public var status: LogicalStatus

    /// Creates a server. `entryCountryCode` is used only for secure core servers; other servers
    /// enter in the exit country.
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

    /// Decodes a server. Like the other initializer, it uses `entryCountryCode` only for secure
    /// core servers.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try members.decode(String.self, forKey: .id),
            name: try members.decode(String.self, forKey: .name),
            domain: try members.decode(String.self, forKey: .domain),
            entryCountryCode: try members.decode(String.self, forKey: .entryCountryCode),
            exitCountryCode: try members.decode(String.self, forKey: .exitCountryCode),
            hostCountry: try members.decodeIfPresent(String.self, forKey: .hostCountry),
            city: try members.decodeIfPresent(String.self, forKey: .city),
            translatedCity: try members.decodeIfPresent(String.self, forKey: .translatedCity),
            gatewayName: try members.decodeIfPresent(String.self, forKey: .gatewayName),
            tier: try members.decode(Int.self, forKey: .tier),
            features: try members.decode(ServerFeature.self, forKey: .features),
            latitude: try members.decode(Double.self, forKey: .latitude),
            longitude: try members.decode(Double.self, forKey: .longitude),
            status: try members.decode(LogicalStatus.self, forKey: .status))
    }

    /// Whether the machine is in a country other than the one that the server shows (smart
    /// routing).
    public var isVirtual: Bool { hostCountry.map { $0 != exitCountryCode } ?? false }

    /// The name split into parts for sorting.
    public var parsedName: ServerName { ServerName(name) }
}

/// The part of a server that the loads file refreshes.
public struct LogicalStatus: Hashable, Sendable, Codable {
    /// The percentage of the server's capacity in use.
    public var load: Int
    /// The service's measure of distance and load. Smaller is better.
    public var score: Double
    /// The service's status; zero means maintenance.
    public var status: Int

    /// Creates a status from the service's numbers, without checking them.
    public init(load: Int, score: Double, status: Int) {
        self.load = load
        self.score = score
        self.status = status
    }
}

/// An updated status of a server, from the loads file.
public struct ServerLoad: Hashable, Sendable, Codable, Identifiable {
    public let id: String
    /// The server's current status.
    public let status: LogicalStatus

    /// Creates a load of the server with that identifier.
    public init(id: String, status: LogicalStatus) {
        self.id = id
        self.status = status
    }
}
