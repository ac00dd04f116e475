import CLibcrypto
import Foundation
import TestSupport

/// Damages files so that their checksums still match.
struct Damage {
    var random: SeededRandom

    /// Changes, removes or repeats some bytes of a chunk of `file`, then corrects its length and
    /// checksum.
    mutating func damage(_ file: Data) -> Data {
        var bytes = Array(file)
        guard bytes.count > 12 else { return file }
        let contentStart = Self.contentStart(bytes)
        var content = Array(bytes[contentStart...])
        for _ in 0..<random.number(1..<5) where !content.isEmpty { change(&content) }
        bytes = Self.chunk(type: bytes[8], content: content)
        // Sometimes the checksum is wrong, too.
        if random.chance(1, in: 50) { bytes[5] ^= 1 }
        return Data(bytes)
    }

    private mutating func change(_ content: inout [UInt8]) {
        let index = random.number(0..<content.count)
        let length = random.number(0..<min(20, content.count - index) + 1)
        switch random.number(0..<8) {
        case 0: content[index] ^= 1 << UInt8(random.number(0..<8))
        case 1: content[index] = UInt8.random(in: 0...255, using: &random)
        case 2: content[index] = random.pick([0, 0x7F, 0x80, 0xFF, 1, 0x40])
        case 3: content.removeSubrange(index..<index + length)
        case 4: content.insert(contentsOf: content[index..<index + length], at: index)
        case 5: content.removeSubrange(index...)
        case 6:
            // The largest possible number.
            let number = random.pick(
                [
                    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                    [0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
                    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
                    [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7F],
                ] as [[UInt8]])
            content.replaceSubrange(index..<min(content.count, index + 1), with: number)
        default:
            let other = random.number(0..<content.count)
            content.swapAt(index, other)
        }
    }

    private static func contentStart(_ bytes: [UInt8]) -> Int {
        var index = 9
        while index < bytes.count - 1, bytes[index] & 0x80 != 0 { index += 1 }
        return min(index + 1, bytes.count)
    }

    /// A chunk with a correct length and checksum.
    static func chunk(type: UInt8, content: [UInt8]) -> [UInt8] {
        var body = [type]
        var length = content.count
        while length >= 0x80 {
            body.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        body.append(UInt8(length))
        body += content
        var digest = [UInt8](repeating: 0, count: 32)
        tl_sha256(body, body.count, nil, 0, &digest)
        return [0x85, 0x6F, 0x4A, 0x83] + digest.prefix(4) + body
    }
}
