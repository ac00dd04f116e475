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
        var text: [UInt8] = []
        text.reserveCapacity(64)
        let digits = Array("0123456789abcdef".utf8)
        for byte in digest(bytes) {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
