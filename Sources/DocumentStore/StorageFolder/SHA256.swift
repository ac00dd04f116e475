import Automerge
import CLibcrypto
import Foundation

enum SHA256 {
    static func digest(_ bytes: some ContiguousBytes) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            bytes.withUnsafeBytes { bytes in
                tl_sha256(nil, 0, bytes.baseAddress, bytes.count, digest.baseAddress)
            }
            count = 32
        }
    }

    /// Returns the digest as 64 lowercase hexadecimal digits.
    static func text(of bytes: some ContiguousBytes) -> String {
        Hexadecimal.string(digest(bytes))
    }
}
