/// Text that equals another only scalar by scalar.
///
/// `String` finds "é" and "e" with an accent equal; keys and texts of a document that hold them are
/// different.
struct ExactText: Hashable, Comparable, CustomStringConvertible {
    let utf8: [UInt8]

    init(_ string: String) { utf8 = Array(string.utf8) }

    var description: String { String(decoding: utf8, as: UTF8.self) }

    /// Byte order, which is that of the keys of a map.
    static func < (lhs: ExactText, rhs: ExactText) -> Bool {
        lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
    }
}
