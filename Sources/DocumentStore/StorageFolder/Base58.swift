import CLibcrypto
public import Foundation

/// Document identifiers as automerge-repo spells them: base58 of the bytes and four of a checksum.
enum Base58 {
    private static let alphabet = Array(
        "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: .max, count: 256)
        for (value, character) in alphabet.enumerated() {
            digits[Int(character)] = UInt8(value)
        }
        return digits
    }()

    /// The longest text that is read; an identifier of 16 bytes has at most 28 characters.
    private static let longest = 128

    static func checked(_ payload: some Collection<UInt8>) -> String {
        encode(Array(payload) + checksum(of: payload))
    }

    /// The bytes behind a text, `nil` where it is none, or its checksum does not fit.
    static func payload(of text: some StringProtocol) -> [UInt8]? {
        guard let bytes = decode(text), bytes.count >= 4 else { return nil }
        let payload = bytes.dropLast(4)
        return checksum(of: payload).elementsEqual(bytes.suffix(4)) ? Array(payload) : nil
    }

    private static func checksum(of payload: some Collection<UInt8>) -> [UInt8] {
        Array(SHA256.digest(SHA256.digest(Array(payload))).prefix(4))
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        // Digits of base 58, the least first.
        var digits: [UInt8] = []
        for byte in bytes {
            var carry = Int(byte)
            for place in digits.indices {
                carry += Int(digits[place]) << 8
                digits[place] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let zeros = bytes.prefix { $0 == 0 }.map { _ in alphabet[0] }
        return String(
            decoding: zeros + digits.reversed().map { alphabet[Int($0)] }, as: UTF8.self)
    }

    private static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard !characters.isEmpty, characters.count <= longest else { return nil }
        var bytes: [UInt8] = []
        for character in characters {
            var carry = Int(digits[Int(character)])
            guard carry < 58 else { return nil }
            for place in bytes.indices {
                carry += Int(bytes[place]) * 58
                bytes[place] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            while carry > 0 {
                bytes.append(UInt8(truncatingIfNeeded: carry))
                carry >>= 8
            }
        }
        let zeros = characters.prefix { $0 == alphabet[0] }.map { _ in UInt8(0) }
        return zeros + bytes.reversed()
    }
}

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
        } else if let payload = Base58.payload(of: id), let uuid = UUID(bytes: payload) {
            self = uuid
        } else {
            return nil
        }
    }

    /// This as an identifier of automerge-repo, without `automerge:` before it.
    public var automergeID: String { Base58.checked(bytes) }
}
