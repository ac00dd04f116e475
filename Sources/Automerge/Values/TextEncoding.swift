/// The unit of positions and lengths in texts.
///
/// Each program chooses its unit. Files don't store it, so the same document can be read with any
/// unit.
public enum TextEncoding: Hashable, Sendable {
    /// User-perceived characters, as `String` counts them.
    case graphemeCluster
    /// Unicode scalars, as `String.unicodeScalars` counts them.
    case unicodeScalar
    /// Bytes of UTF-8.
    case utf8
    /// Code units of UTF-16, as `NSString` counts them.
    case utf16
}
