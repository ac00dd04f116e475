/// A hash of bytes that is the same in every run and on every device, for names derived from other
/// names. It doesn't resist deliberate collisions.
package enum StableHash {
    /// Returns the 64-bit FNV-1a hash.
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
