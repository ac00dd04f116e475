extension VPNServerGroupOrder {
    /// Returns `groups` in this order, with the country names of `names`.
    public func sorted(_ groups: [ServerGroupInfo], names: CountryNames) -> [ServerGroupInfo] {
        groups.map { (SortKey($0, order: self, names: names), $0) }
            .sorted { $0.0 < $1.0 }
            .map(\.1)
    }

    private struct SortKey: Comparable {
        /// The rank of the group's kind: gateways first, then countries, then cities.
        let rank: Int
        let parts: [String]

        init(_ group: ServerGroupInfo, order: VPNServerGroupOrder, names: CountryNames) {
            let code = group.countryCode
            let country =
                switch order {
                case .exitCountryCodeAscending: code
                case .localizedCountryNameAscending: TextFolding.fold(names.name(of: code))
                }
            switch group.kind {
            case .gateway(let name, _):
                rank = 0
                parts = [TextFolding.fold(name), name, country, code]
            case .country:
                rank = 1
                parts = [country, code]
            case .city(let name, _):
                rank = 2
                // The group of servers without a city comes after the groups of cities.
                let isNamed = name == nil ? "1" : "0"
                parts = [
                    country, code, isNamed, name.map { TextFolding.fold($0) } ?? "", name ?? "",
                ]
            }
        }

        static func < (left: SortKey, right: SortKey) -> Bool {
            if left.rank != right.rank { return left.rank < right.rank }
            for (one, other) in zip(left.parts, right.parts) where one != other {
                return one.utf8.lexicographicallyPrecedes(other.utf8)
            }
            return false
        }
    }
}
