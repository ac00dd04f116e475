/// A hash of bytes that is the same in every run and on every device, for names that are made of
/// others. It keeps nothing apart that somebody wants to collide.
package enum StableHash {
    /// FNV-1a with 64 bits.
    package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
