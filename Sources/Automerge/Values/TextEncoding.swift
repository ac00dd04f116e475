/// The unit of positions and lengths in texts.
///
/// Each program chooses its unit. Files don't store it, so a document can be read with any unit.
public enum TextEncoding: Hashable, Sendable {
    /// User-perceived characters: the unit of `String.count`.
    case graphemeCluster
    /// Unicode scalars: the unit of `String.unicodeScalars.count`.
    case unicodeScalar
    /// Bytes of UTF-8.
    case utf8
    /// Code units of UTF-16: the unit of `NSString.length`.
    case utf16
}
