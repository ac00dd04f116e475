public import KeyValueStore

extension TypedText {
    /// Creates the text for editing a value.
    public init(_ value: PropertyList) {
        // A date finer than a microsecond keeps its exact form as JSON.
        self =
            Self(scalar: value)
            ?? Self(.json, (try? value.json(.indented)) ?? value.description)
    }
}
