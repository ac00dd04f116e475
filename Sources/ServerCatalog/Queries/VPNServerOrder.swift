/// The order of servers.
///
/// Equal servers are ordered by their identifiers, so that every order but `none` and `random`
/// is complete.
public enum VPNServerOrder: Hashable, Sendable, CaseIterable {
    /// As the database finds them.
    case none
    /// At random, those in maintenance last.
    case random
    /// By score, the best first.
    case fastest
    /// By score, but servers of gateways after all others, by their gateway's name downwards.
    case fastestGatewaysLast
    /// By name, with numbers in their natural order.
    case nameAscending
    /// By load, the emptiest first.
    case loadAscending
}

/// The order of groups: gateways by name, then countries, then cities.
public enum VPNServerGroupOrder: Hashable, Sendable, CaseIterable {
    /// Countries by their codes.
    case exitCountryCodeAscending
    /// Countries by their names in the person's language, without regard to case and accents.
    case localizedCountryNameAscending
}
