import CLibcrypto

/// A text encoding of bytes that avoids look-alike characters and ends with a checksum.
///
/// The text is the payload followed by the first four bytes of SHA-256(SHA-256(payload)), as one
/// number in base 58. Each leading zero byte is a `1`. Unlike in Bitcoin addresses, no version byte
/// precedes the payload.
package enum Base58Check {
    private static let alphabet = Array(
        "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    private static let checksumCount = 4
    /// The maximum length of a text. Longer texts can't be identifiers, and decoding takes
    /// quadratic time.
    private static let longestText = 1024

    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: .max, count: 256)
        for (digit, character) in alphabet.enumerated() {
            digits[Int(character)] = UInt8(digit)
        }
        return digits
    }()

    /// Returns the text for a payload.
    ///
    /// - Complexity: O(*n*²) in the number of bytes.
    package static func text(_ payload: [UInt8]) -> String {
        let bytes = payload + checksum(payload)
        // The digits in base 58, lowest first.
        var digits: [UInt8] = []
        for byte in bytes {
            var carry = Int(byte)
            for index in digits.indices {
                carry += Int(digits[index]) << 8
                digits[index] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                digits.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let zeros = [UInt8](repeating: alphabet[0], count: bytes.prefix { $0 == 0 }.count)
        return String(decoding: zeros + digits.reversed().map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Returns the payload of a text.
    ///
    /// - Returns: `nil` if a character is not in the alphabet, the checksum is wrong, or the text
    ///   is too long or too short to be an identifier.
    /// - Complexity: O(*n*²) in the length of the text.
    package static func payload(_ text: some StringProtocol) -> [UInt8]? {
        let characters = Array(text.utf8.prefix(longestText + 1))
        guard characters.count <= longestText else { return nil }
        // The bytes of the number, lowest first.
        var bytes: [UInt8] = []
        for character in characters {
            let digit = digits[Int(character)]
            guard digit < 58 else { return nil }
            var carry = Int(digit)
            for index in bytes.indices {
                carry += Int(bytes[index]) * 58
                bytes[index] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            if carry > 0 { bytes.append(UInt8(truncatingIfNeeded: carry)) }
        }
        let zeros = characters.prefix { $0 == alphabet[0] }.count
        let whole = [UInt8](repeating: 0, count: zeros) + bytes.reversed()
        guard whole.count >= checksumCount else { return nil }
        let payload = Array(whole.dropLast(checksumCount))
        guard checksum(payload) == Array(whole.suffix(checksumCount)) else { return nil }
        return payload
    }

    private static func checksum(_ payload: [UInt8]) -> [UInt8] {
        Array(digest(digest(payload)).prefix(checksumCount))
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            tl_sha256(bytes, bytes.count, nil, 0, digest.baseAddress)
            count = 32
        }
    }
}
