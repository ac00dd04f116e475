public import GRDB
import ServerCatalog

extension CatalogRecords {
    /// A row of `logical`: what does not change about a server, and summaries of its endpoints.
    public struct Logical: FetchableRecord, TableRecord, Sendable {
        /// `logical`.
        public static let databaseTableName = "logical"

        /// The identifier that the service gives the server.
        public var id: String
        /// What people call it.
        public var name: String
        /// The host name that the server answers under.
        public var domain: String
        /// `nil` where it is the exit country.
        public var entryCountryCode: String?
        /// The country where traffic leaves, by its code of two letters.
        public var exitCountryCode: String
        /// The country where the machine really is, if not the exit country.
        public var hostCountry: String?
        /// The city, in the service's spelling.
        public var city: String?
        /// The city in the language that the service was asked in.
        public var translatedCity: String?
        /// The gateway that the server belongs to.
        public var gatewayName: String?
        /// The plan that a customer needs for it.
        public var tier: Int
        /// What the server can do, as bits of `ServerFeature`, unknown ones included.
        public var feature: Int
        /// Degrees north of the equator.
        public var latitude: Double
        /// Degrees east of Greenwich.
        public var longitude: Double
        /// Every protocol that an endpoint supports; `nil` where there is no endpoint.
        public var protocolMask: Int?
        /// The same over the endpoints that are not in maintenance.
        public var upProtocolMask: Int?

        /// Reads columns by their names.
        ///
        /// - Throws: A `RowDecodingError` of GRDB's for a value of another type than its column.
        public init(row: Row) throws {
            id = try row.decode(forColumn: "id")
            name = try row.decode(forColumn: "name")
            domain = try row.decode(forColumn: "domain")
            entryCountryCode = try row.decode(forColumn: "entryCountryCode")
            exitCountryCode = try row.decode(forColumn: "exitCountryCode")
            hostCountry = try row.decode(forColumn: "hostCountry")
            city = try row.decode(forColumn: "city")
            translatedCity = try row.decode(forColumn: "translatedCity")
            gatewayName = try row.decode(forColumn: "gatewayName")
            tier = try row.decode(forColumn: "tier")
            feature = try row.decode(forColumn: "feature")
            latitude = try row.decode(forColumn: "latitude")
            longitude = try row.decode(forColumn: "longitude")
            protocolMask = try row.decode(forColumn: "protocolMask")
            upProtocolMask = try row.decode(forColumn: "upProtocolMask")
        }

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

        /// Names of places that a search finds the server by.
        var places: [String] { [city, translatedCity, gatewayName].compactMap(\.self) }

        /// The columns that ``add(to:)`` fills, the derived ones included.
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
}
