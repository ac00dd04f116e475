public import ServerCatalog

/// The display names of a server's city.
extension Logical {
    /// The name in the user's language if the catalog has one, otherwise the original name.
    public var shownCity: String? { translatedCity ?? city }

    /// Both names if they differ: `New York (Nowy Jork)`.
    public var cityInFull: String? {
        guard let city, let translatedCity, city != translatedCity else { return shownCity }
        return "\(city) (\(translatedCity))"
    }
}
