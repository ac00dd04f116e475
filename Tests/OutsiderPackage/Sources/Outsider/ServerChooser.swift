public import ServerCatalog

/// Chooses a server for a customer: the kind of code that a repository is for.
public struct ServerChooser {
    private let repository: ServerRepository

    public init(_ repository: ServerRepository) { self.repository = repository }

    /// The countries that a customer of the free plan can use.
    public func freeCountries() -> [String] {
        repository.groups(filteredBy: [.maxTier(ServerTier.free), .isNotUnderMaintenance])
            .map(\.countryCode)
    }

    /// The name of the fastest server of a country; `nil` if none is up.
    public func choose(_ country: String) throws -> String? {
        try repository.getFirstServer(
            filteredBy: [.kind(.country(country)), .isNotUnderMaintenance], orderedBy: .fastest
        )?.logical.name
    }
}
