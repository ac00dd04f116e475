import ServerCatalog

/// The filter of the servers pane as a person types it: `country:CH p2p -tor maxtier:2 online zürich`.
///
/// Names of features stand alone, negated with `-`; everything that is no field is text that finds
/// servers. All of it must hold, and it holds before servers are grouped.
enum CatalogFilter {
    static let fields = [
        FilterField("country", example: "country:CH"),
        FilterField("entry", example: "entry:SE"), FilterField("exit", example: "exit:CH"),
        FilterField("city", example: "city:\"New York\""),
        FilterField("gateway", example: "gateway:*"), FilterField("tier", example: "tier:0"),
        FilterField("maxtier", example: "maxtier:2"),
        FilterField("feature", example: "feature:p2p,tor"),
        FilterField("without", example: "without:secureCore"),
        FilterField("protocol", example: "protocol:wireGuardTLS"),
        FilterField("online", example: "online:yes"), FilterField("id", example: "id:XYZ"),
        FilterField("endpoint", example: "endpoint:XYZ"),
        FilterField("endpoints", example: "endpoints:none"),
        FilterField("name", example: "name:CH#1"),
    ]

    /// - Throws: ``FilterError`` for a value that a field cannot have.
    static func parse(_ text: String) throws(FilterError) -> [VPNServerFilter] {
        var filters: [VPNServerFilter] = []
        var words: [String] = []
        var required: ServerFeature = []
        var excluded: ServerFeature = []
        for token in tokens(text) {
            if let (name, value) = token.field {
                switch name {
                case "feature", "features": required.formUnion(try features(value, token))
                case "without": excluded.formUnion(try features(value, token))
                default: filters.append(try filter(name, value, token))
                }
            } else if let feature = ServerFeature(named: token.text) {
                required.insert(feature)
            } else if token.text.hasPrefix("-"),
                let feature = ServerFeature(named: String(token.text.dropFirst()))
            {
                excluded.insert(feature)
            } else if token.text.lowercased() == "online" {
                filters.append(.isNotUnderMaintenance)
            } else if let support = ProtocolSupport(named: token.text) {
                filters.append(.supports(support))
            } else {
                words.append(token.text)
            }
        }
        if !required.isEmpty || !excluded.isEmpty {
            filters.append(
                .features(ServerFeatureFilter(required: required, excluded: excluded)))
        }
        if !words.isEmpty { filters.append(.matches(words.joined(separator: " "))) }
        return filters
    }

    private struct Token {
        let text: String
        let range: Range<Int>

        /// The parts before and after the first colon, where a field's name stands before it.
        var field: (name: String, value: String)? {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let name = text[..<colon].lowercased()
            guard name == "features" || CatalogFilter.fields.contains(where: { $0.name == name })
            else { return nil }
            return (name, String(text[text.index(after: colon)...]))
        }
    }

    /// Parts between spaces; quotation marks keep spaces and are left out.
    private static func tokens(_ text: String) -> [Token] {
        var tokens: [Token] = []
        var current: [UInt8] = []
        var start = 0
        var isQuoted = false
        var offset = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: " "), !isQuoted {
                if !current.isEmpty {
                    tokens.append(
                        Token(text: String(decoding: current, as: UTF8.self), range: start..<offset)
                    )
                }
                current = []
                start = offset + 1
            } else {
                current.append(byte)
            }
            offset += 1
        }
        if !current.isEmpty {
            tokens.append(
                Token(text: String(decoding: current, as: UTF8.self), range: start..<offset))
        }
        return tokens
    }

    private static func filter(
        _ name: String, _ value: String, _ token: Token
    ) throws(FilterError) -> VPNServerFilter {
        let isAny = value.isEmpty || value == "*"
        switch name {
        case "country": return .kind(isAny ? .anyCountry : .country(value.uppercased()))
        case "gateway": return .kind(isAny ? .anyGateway : .gateway(value))
        case "entry": return .entryCountry(value.uppercased())
        case "exit": return .exitCountry(value.uppercased())
        case "endpoint": return .endpointID(value)
        case "endpoints":
            guard value == "none" else {
                throw FilterError("endpoints:none finds servers without one", at: token.range)
            }
            return .withoutEndpoints
        case "city": return .city(value)
        case "id": return .logicalID(value)
        case "name": return .name(value)
        case "online":
            guard value.isEmpty || value == "yes" else {
                throw FilterError("online:yes, or nothing", at: token.range)
            }
            return .isNotUnderMaintenance
        case "protocol":
            var support: ProtocolSupport = []
            for part in value.split(separator: ",") {
                guard let one = ProtocolSupport(named: String(part)) else {
                    let known = ProtocolSupport.named.map(\.name).joined(separator: ", ")
                    throw FilterError("no protocol “\(part)”; there are \(known)", at: token.range)
                }
                support.insert(one)
            }
            return .supports(support)
        default:
            guard let tier = Int(value) else {
                throw FilterError("a tier is a number: 0 free, 2 plus", at: token.range)
            }
            return name == "tier" ? .tier(tier) : .maxTier(tier)
        }
    }

    private static func features(
        _ value: String, _ token: Token
    ) throws(FilterError) -> ServerFeature {
        var features: ServerFeature = []
        for part in value.split(separator: ",") {
            guard let one = ServerFeature(named: String(part)) else {
                let known = ServerFeature.named.map(\.name).joined(separator: ", ")
                throw FilterError("no feature “\(part)”; there are \(known)", at: token.range)
            }
            features.insert(one)
        }
        return features
    }
}
