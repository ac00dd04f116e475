public import ServerCatalog

/// What a server's city is called, on the screen and by commands.
extension Logical {
    /// The name in the person's own language where the catalog has one, else the other.
    public var shownCity: String? { translatedCity ?? city }

    /// Both names where there are two: `New York (Nowy Jork)`.
    public var cityInFull: String? {
        guard let city, let translatedCity, city != translatedCity else { return shownCity }
        return "\(city) (\(translatedCity))"
    }
}
