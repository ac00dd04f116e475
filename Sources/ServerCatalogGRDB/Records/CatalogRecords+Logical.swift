public import GRDB
import ServerCatalog

extension CatalogRecords {
    /// A row of `logical`: the stable properties of a server, and summaries of its endpoints.
    public struct Logical: Decodable, FetchableRecord, TableRecord, Sendable {
        /// `logical`.
        public static let databaseTableName = "logical"

        /// The service's identifier for the server.
        public var id: String
        /// The display name.
        public var name: String
        /// The server's host name.
        public var domain: String
        /// The country where traffic enters; `nil` if this is the exit country.
        public var entryCountryCode: String?
        /// The two-letter code of the country where traffic leaves.
        public var exitCountryCode: String
        /// The country where the machine is located, if it isn't the exit country.
        public var hostCountry: String?
        /// The city, in the service's spelling.
        public var city: String?
        /// The city in the language that the catalog was requested in.
        public var translatedCity: String?
        /// The gateway that the server belongs to.
        public var gatewayName: String?
        /// The plan that a customer needs for the server.
        public var tier: Int
        /// The server's features, as bits of `ServerFeature`, including unknown ones.
        public var feature: Int
        /// The latitude in degrees, north positive.
        public var latitude: Double
        /// The longitude in degrees, east positive.
        public var longitude: Double
        /// The protocols that at least one endpoint supports; `nil` without endpoints.
        public var protocolMask: Int?
        /// The protocols of all endpoints that aren't in maintenance.
        public var upProtocolMask: Int?

        init(_ server: VPNServer) {
            let logical = server.logical
            id = logical.id
            name = logical.name
            domain = logical.domain
            entryCountryCode =
                logical.entryCountryCode == logical.exitCountryCode
                ? nil : logical.entryCountryCode
            exitCountryCode = logical.exitCountryCode
            hostCountry = logical.hostCountry
            city = logical.city
            translatedCity = logical.translatedCity
            gatewayName = logical.gatewayName
            tier = logical.tier
            feature = logical.features.rawValue
            latitude = logical.latitude
            longitude = logical.longitude
            protocolMask = Self.mask(server.endpoints)
            upProtocolMask = Self.mask(server.endpoints.filter { !$0.isUnderMaintenance })
        }

        private static func mask(_ endpoints: [ServerEndpoint]) -> Int? {
            guard !endpoints.isEmpty else { return nil }
            return endpoints.reduce(0) { $0 | $1.protocolSupport.rawValue }
        }

        /// The place names that a search finds the server by.
        var places: [String] { [city, translatedCity, gatewayName].compactMap(\.self) }

        /// The columns that ``add(to:)`` fills, including derived ones.
        static let columns = [
            "id", "name", "namePrefix", "sequenceNumber", "domain", "entryCountryCode",
            "exitCountryCode", "hostCountry", "city", "translatedCity", "gatewayName", "tier",
            "feature", "latitude", "longitude", "foldedName", "foldedCity",
            "foldedTranslatedCity", "foldedGateway", "protocolMask", "upProtocolMask",
        ]

        func add(to values: inout RowWriter.Values) {
            let parsed = ServerName(name)
            values.add(id)
            values.add(name)
            values.add(parsed.prefix)
            values.add(parsed.sequenceNumber)
            values.add(domain)
            values.add(entryCountryCode)
            values.add(exitCountryCode)
            values.add(hostCountry)
            values.add(city)
            values.add(translatedCity)
            values.add(gatewayName)
            values.add(tier)
            values.add(feature)
            values.add(latitude)
            values.add(longitude)
            values.add(TextFolding.fold(name))
            values.add(city.map { TextFolding.fold($0) })
            values.add(translatedCity.map { TextFolding.fold($0) })
            values.add(gatewayName.map { TextFolding.fold($0) })
            values.add(protocolMask)
            values.add(upProtocolMask)
        }
    }

    /// A row of `logicalStatus`: the properties of a server that change every minute.
    public struct LogicalStatus: Decodable, FetchableRecord, TableRecord, Sendable {
        /// `logicalStatus`.
        public static let databaseTableName = "logicalStatus"

        /// The server with this status.
        public var logicalId: String
        /// The service's status; zero means maintenance.
        public var status: Int
        /// The service's measure of distance and load. Smaller is better.
        public var score: Double
        /// The percentage of the server's capacity in use.
        public var load: Int

        init(logicalId: String, _ status: ServerCatalog.LogicalStatus) {
            self.logicalId = logicalId
            self.status = status.status
            score = status.score
            load = status.load
        }

        static let columns = ["logicalId", "status", "score", "load"]

        func add(to values: inout RowWriter.Values) {
            values.add(logicalId)
            values.add(status)
            values.add(score)
            values.add(load)
        }
    }
}
