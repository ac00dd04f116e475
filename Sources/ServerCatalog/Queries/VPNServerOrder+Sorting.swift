extension VPNServerOrder {
    /// Returns `servers` in this order. `random` uses `generator`.
    public func sorted(
        _ servers: [VPNServer], using generator: inout some RandomNumberGenerator
    ) -> [VPNServer] {
        switch self {
        case .none: return servers
        case .random:
            let shuffled = servers.shuffled(using: &generator)
            return shuffled.filter { $0.logical.status.status != 0 }
                + shuffled.filter { $0.logical.status.status == 0 }
        case .fastest, .fastestGatewaysLast, .nameAscending, .loadAscending:
            return servers.sorted { precedes($0.logical, $1.logical) }
        }
    }

    private func precedes(_ one: Logical, _ other: Logical) -> Bool {
        switch self {
        case .none, .random: return false
        case .fastest:
            if one.status.score != other.status.score {
                return one.status.score < other.status.score
            }
        case .fastestGatewaysLast:
            switch (one.gatewayName, other.gatewayName) {
            case (nil, .some): return true
            case (.some, nil): return false
            case (let name?, let otherName?) where name != otherName:
                return Self.comesFirst(otherName, name)
            default:
                if one.status.score != other.status.score {
                    return one.status.score < other.status.score
                }
            }
        case .loadAscending:
            if one.status.load != other.status.load {
                return one.status.load < other.status.load
            }
        case .nameAscending:
            let (name, otherName) = (one.parsedName, other.parsedName)
            if name.prefix != otherName.prefix {
                return Self.comesFirst(name.prefix, otherName.prefix)
            }
            if name.sequenceNumber != otherName.sequenceNumber {
                guard let number = name.sequenceNumber else { return true }
                guard let otherNumber = otherName.sequenceNumber else { return false }
                return number < otherNumber
            }
            if one.name != other.name { return Self.comesFirst(one.name, other.name) }
        }
        return Self.comesFirst(one.id, other.id)
    }

    /// Compares by bytes, as the database does.
    private static func comesFirst(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}
