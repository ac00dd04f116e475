/// The unit in which positions and lengths in texts are counted.
///
/// It is a choice of the program, not of the file: the same document may be read with any.
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
