/// The order of servers.
///
/// Ties are resolved by identifier, so every order except `none` and `random` is total.
public enum VPNServerOrder: Hashable, Sendable, CaseIterable {
    /// No particular order: the order in which the database returns the servers.
    case none
    /// A random order, with servers in maintenance last.
    case random
    /// By score, best first.
    case fastest
    /// By score, with gateway servers last, in descending order of their gateway's name.
    case fastestGatewaysLast
    /// By name, with numbers in numeric order.
    case nameAscending
    /// By load, lowest first.
    case loadAscending
}

/// The order of groups: gateways by name, then countries, then cities.
public enum VPNServerGroupOrder: Hashable, Sendable, CaseIterable {
    /// Countries by code.
    case exitCountryCodeAscending
    /// Countries by name in the user's language, ignoring case and accents.
    case localizedCountryNameAscending
}
