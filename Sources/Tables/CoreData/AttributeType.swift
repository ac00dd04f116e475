extension CoreDataModel {
    /// The type of an attribute.
    public enum AttributeType: String, Hashable, Sendable {
        case integer16, integer32, integer64, decimal, double, float, string, boolean, date, binary
        case uuid, uri, transformable, objectID, composite

        /// Creates the type from a raw value of `NSAttributeType`.
        init?(_ number: Int64) {
            switch number {
            case 100: self = .integer16
            case 200: self = .integer32
            case 300: self = .integer64
            case 400: self = .decimal
            case 500: self = .double
            case 600: self = .float
            case 700: self = .string
            case 800: self = .boolean
            case 900: self = .date
            case 1000: self = .binary
            case 1100: self = .uuid
            case 1200: self = .uri
            case 1800: self = .transformable
            case 2000: self = .objectID
            case 2100: self = .composite
            default: return nil
            }
        }
    }
}
