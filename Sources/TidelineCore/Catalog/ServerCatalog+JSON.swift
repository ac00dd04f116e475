import Replication
public import ServerCatalog

// JSON of servers and groups for the output of commands.

extension ServerInfo {
    /// The server without its endpoints, as in lists.
    public var json: JSONValue { .object(logical.members(protocols: protocolSupport)) }
}

extension VPNServer {
    /// The server with its endpoints.
    public var json: JSONValue {
        let listed = ServerInfo(logical, endpoints: endpoints)
        var members = logical.members(protocols: listed.protocolSupport)
        members["endpoints"] = .array(endpoints.map(\.json))
        return .object(members)
    }
}

extension Logical {
    fileprivate func members(protocols: ProtocolSupport) -> [Name: JSONValue] {
        [
            "id": .string(id), "name": .string(name), "domain": .string(domain),
            "entryCountry": .string(entryCountryCode), "exitCountry": .string(exitCountryCode),
            "hostCountry": .optional(hostCountry), "city": .optional(city),
            "translatedCity": .optional(translatedCity), "gateway": .optional(gatewayName),
            "tier": .integer(Int64(tier)), "features": .names(features.names),
            "status": .integer(Int64(status.status)), "load": .integer(Int64(status.load)),
            "score": .real(status.score), "protocols": .names(protocols.names),
            "latitude": .real(latitude), "longitude": .real(longitude),
        ]
    }
}

extension ServerEndpoint {
    /// The endpoint, with its overrides in the service's own form.
    public var json: JSONValue {
        var members: [Name: JSONValue] = [
            "id": .string(id), "entryIP": .optional(entryIP), "exitIP": .string(exitIP),
            "domain": .string(domain), "status": .optional(status.map { Int64($0) }),
            "label": .optional(label), "publicKey": .optional(x25519PublicKey),
            "protocols": .names(protocolSupport.names),
        ]
        if let overrides { members["overrides"] = .verbatim(overrides.json) }
        return .object(members)
    }
}

extension ServerGroupInfo {
    /// Returns the group, with its country name from `names`.
    public func json(names: CountryNames) -> JSONValue {
        var members: [Name: JSONValue] = [
            "code": .string(countryCode), "serverCount": .integer(Int64(serverCount)),
            "cityCount": .integer(Int64(cityCount)), "minTier": .integer(Int64(minTier)),
            "maxTier": .integer(Int64(maxTier)), "featureUnion": .names(featureUnion.names),
            "featureIntersection": .names(featureIntersection.names),
            "protocols": .names(protocolSupport.names),
            "isUnderMaintenance": .boolean(isUnderMaintenance), "isVirtual": .boolean(isVirtual),
            "latitude": .real(latitude), "longitude": .real(longitude),
        ]
        switch kind {
        case .country(let code):
            members["kind"] = .string("country")
            members["name"] = .string(names.name(of: code))
        case .gateway(let name, _):
            members["kind"] = .string("gateway")
            members["name"] = .string(name)
        case .city(let name, _):
            members["kind"] = .string("city")
            members["name"] = .optional(name)
        }
        return .object(members)
    }
}

extension JSONValue {
    static func names(_ names: [String]) -> JSONValue {
        .array(names.map { .string($0) })
    }
}
