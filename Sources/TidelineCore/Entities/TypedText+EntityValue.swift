public import EntityStore

extension TypedText {
    /// Creates the text for editing a value.
    public init(_ value: EntityValue) {
        if case .relationship(let target) = value {
            self.init(.relationship, target.description)
        } else {
            self = Self(scalar: value) ?? Self(.json, value.json)
        }
    }
}
