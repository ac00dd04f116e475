extension VPNServer {
    /// Decodes a server from the service's logicals file.
    init(_ record: RecordDecoder) throws(RecordDecoder.Failure) {
        let id = try record.string("ID")
        let name = try record.string("Name")
        let location = try record.object("Location")
        let translations = try record.optionalObject("Translations")
        let logical = Logical(
            id: id, name: name, domain: try record.string("Domain"),
            entryCountryCode: try record.string("EntryCountry"),
            exitCountryCode: try record.string("ExitCountry"),
            hostCountry: try record.optionalString("HostCountry"),
            city: try record.optionalString("City"),
            translatedCity: try translations?.optionalString("City"),
            gatewayName: try record.optionalString("GatewayName"),
            tier: try record.integer("Tier"),
            features: ServerFeature(rawValue: try record.integer("Features")),
            latitude: try location.real("Lat"), longitude: try location.real("Long"),
            status: try LogicalStatus(record))
        var endpoints: [ServerEndpoint] = []
        for server in try record.objects("Servers") {
            endpoints.append(try ServerEndpoint(server))
        }
        self.init(logical: logical, endpoints: endpoints)
    }
}

extension ServerEndpoint {
    init(_ record: RecordDecoder) throws(RecordDecoder.Failure) {
        var overrides: ProtocolOverrides?
        if let entries = try record.optionalObject("EntryPerProtocol") {
            overrides = try ProtocolOverrides(entries)
        }
        self.init(
            id: try record.string("ID"), entryIP: try record.optionalString("EntryIP"),
            exitIP: try record.string("ExitIP"), domain: try record.string("Domain"),
            status: try record.integer("Status"), label: try record.optionalString("Label"),
            x25519PublicKey: try record.optionalString("X25519PublicKey"), overrides: overrides)
    }
}

extension ProtocolOverrides {
    /// Decodes an object with one member per protocol. Null entries are ignored.
    init(_ record: RecordDecoder) throws(RecordDecoder.Failure) {
        var entries: [String: Entry] = [:]
        for key in record.keys {
            guard let entry = try record.optionalObject(key) else { continue }
            entries[key] = Entry(
                ipv4: try entry.optionalString("IPv4"),
                ports: try entry.optionalIntegers("Ports"))
        }
        self.init(entries)
    }
}

extension LogicalStatus {
    init(_ record: RecordDecoder) throws(RecordDecoder.Failure) {
        self.init(
            load: try record.integer("Load"), score: try record.real("Score"),
            status: try record.integer("Status"))
    }
}

extension ServerLoad {
    init(_ record: RecordDecoder) throws(RecordDecoder.Failure) {
        self.init(id: try record.string("ID"), status: try LogicalStatus(record))
    }
}
