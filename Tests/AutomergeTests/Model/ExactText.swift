/// Text that is compared by Unicode scalars.
///
/// `String` considers "é" and "e" with a combining accent equal; as keys and texts of a document
/// they are different.
struct ExactText: Hashable, Comparable, CustomStringConvertible {
    let utf8: [UInt8]

    init(_ string: String) { utf8 = Array(string.utf8) }

    var description: String { String(decoding: utf8, as: UTF8.self) }

    /// Byte order, as for the keys of a map.
    static func < (lhs: ExactText, rhs: ExactText) -> Bool {
        lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
    }
}
