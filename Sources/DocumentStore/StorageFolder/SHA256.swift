import Automerge
import CLibcrypto
public import Foundation

enum SHA256 {
    static func digest(_ bytes: some ContiguousBytes) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            bytes.withUnsafeBytes { bytes in
                tl_sha256(nil, 0, bytes.baseAddress, bytes.count, digest.baseAddress)
            }
            count = 32
        }
    }

    /// As 64 lowercase hexadecimal digits.
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

extension UUID {
    /// The document of an automerge-repo URL or identifier: base58 with a checksum, `automerge:`
    /// before it or not, or a UUID as older ones are. `nil` for anything else, and for an
    /// identifier of other than 16 bytes.
    public init?(automergeID text: String) {
        let prefix = "automerge:"
        let id = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        if let uuid = UUID(uuidString: id) {
            self = uuid
        } else if let payload = Base58Check.payload(id), let uuid = UUID(bytes: payload) {
            self = uuid
        } else {
            return nil
        }
    }

    /// This as an identifier of automerge-repo, without `automerge:` before it.
    public var automergeID: String { Base58Check.text(Array(bytes)) }
}
