import GRDB
import ServerCatalog

/// The SQL conditions of filters, over `logical`, `logicalStatus`, `endpoint` and
/// `endpointOverrides`.
struct FilterSQL {
    private(set) var server: [SQL] = []
    /// The conditions on an endpoint of the server.
    private(set) var endpoint: [SQL] = []
    private(set) var requiresUp = false
    private(set) var requiresNoEndpoint = false

    /// The protocols that an endpoint without overrides supports.
    static let allProtocols = String(ProtocolSupport.all.rawValue)

    init(_ filters: [VPNServerFilter], names: CountryNames) {
        for filter in filters { add(filter, names: names) }
        if requiresUp { server.append("logicalStatus.status <> 0") }
        if requiresNoEndpoint { server.append("logical.protocolMask IS NULL") }
    }

    private mutating func add(_ filter: VPNServerFilter, names: CountryNames) {
        switch filter {
        case .logicalID(let id): server.append("logical.id = \(id)")
        case .name(let name): server.append("logical.name = \(name)")
        case .tier(let tier): server.append("logical.tier = \(tier)")
        case .maxTier(let tier): server.append("logical.tier <= \(tier)")
        case .features(let features): add(features)
        case .isNotUnderMaintenance: requiresUp = true
        case .withoutEndpoints: requiresNoEndpoint = true
        case .kind(let kind): add(kind)
        case .entryCountry(let code):
            server.append(
                """
                (logical.entryCountryCode = \(code)
                    OR logical.entryCountryCode IS NULL AND logical.exitCountryCode = \(code))
                """)
        case .exitCountry(let code): server.append("logical.exitCountryCode = \(code)")
        case .city(let city): server.append(Self.condition(city: city))
        case .matches(let text):
            if let text = SearchText(text, names: names) { add(text) }
        case .endpointID(let id): endpoint.append("endpoint.id = \(id)")
        case .supports(let wanted):
            endpoint.append(
                """
                COALESCE(endpointOverrides.protocolMask, \(sql: Self.allProtocols))
                    & \(wanted.rawValue) <> 0
                """)
        }
    }

    private mutating func add(_ features: ServerFeatureFilter) {
        if !features.required.isEmpty {
            let required = features.required.rawValue
            server.append("logical.feature & \(required) = \(required)")
        }
        if !features.excluded.isEmpty {
            server.append("logical.feature & \(features.excluded.rawValue) = 0")
        }
    }

    private mutating func add(_ kind: ServerKindFilter) {
        switch kind {
        case .anyCountry: server.append("logical.gatewayName IS NULL")
        case .country(let code):
            server.append("logical.gatewayName IS NULL AND logical.exitCountryCode = \(code)")
        case .anyGateway: server.append("logical.gatewayName IS NOT NULL")
        case .gateway(let name): server.append("logical.gatewayName = \(name)")
        case .gatewayIn(let name, let code):
            server.append("logical.gatewayName = \(name) AND logical.exitCountryCode = \(code)")
        case .cityIn(let name, let code):
            server.append(name.map { Self.condition(city: $0) } ?? "logical.city IS NULL")
            server.append("logical.exitCountryCode = \(code)")
        }
    }

    /// Returns the condition for a city. The index contains the folded names. The exact spelling
    /// then filters the few matches.
    private static func condition(city: String) -> SQL {
        "logical.foldedCity = \(TextFolding.fold(city)) AND logical.city = \(city)"
    }

    /// Adds the condition for a search text. Each alternative has its own index, and SQLite merges
    /// the results. There are few place names, so scanning all of them is fast.
    private mutating func add(_ text: SearchText) {
        let codes = text.countryCodes.sorted()
        let places: SQL = "(SELECT folded FROM place WHERE instr(folded, \(text.folded)) > 0)"
        let name: SQL =
            if let end = Self.successor(of: text.folded) {
                "logical.foldedName >= \(text.folded) AND logical.foldedName < \(end)"
            } else {
                "logical.foldedName >= \(text.folded)"
            }
        server.append(
            """
            (logical.exitCountryCode IN \(codes)
                OR logical.entryCountryCode IN \(codes)
                OR \(name)
                OR logical.foldedCity IN \(places)
                OR logical.foldedTranslatedCity IN \(places)
                OR logical.foldedGateway IN \(places))
            """)
    }

    /// Returns the smallest text greater than every text with this prefix.
    private static func successor(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates aren't scalars: U+E000 follows U+D7FF.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var result = String.UnicodeScalarView(scalars)
            result.append(scalar)
            return String(result)
        }
        return nil
    }
}
