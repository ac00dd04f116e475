import Foundation

/// The format and size that the first bytes of an image declare.
struct ImageHeader: Hashable {
    let format: String
    let width: Int
    let height: Int

    /// Reads the header of an image.
    ///
    /// - Returns: `nil` if the data isn't a PNG, JPEG, GIF, WebP, HEIC or AVIF image.
    init?(_ data: Data) {
        let bytes = [UInt8](data.prefix(256 << 10))
        guard
            let found = Self.png(bytes) ?? Self.gif(bytes) ?? Self.jpeg(bytes) ?? Self.webP(bytes)
                ?? Self.heic(bytes)
        else { return nil }
        (format, width, height) = found
    }

    private typealias Found = (String, Int, Int)

    private static func png(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            let width = bytes.big(16, 4), let height = bytes.big(20, 4)
        else { return nil }
        return ("PNG", width, height)
    }

    private static func gif(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: "GIF8".utf8), bytes.count >= 10 else { return nil }
        return ("GIF", Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
    }

    private static func jpeg(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var place = 2
        while let marker = bytes.big(place, 2), marker >> 8 == 0xFF,
            let length = bytes.big(place + 2, 2), length >= 2
        {
            let kind = marker & 0xFF
            // C0 to CF start a frame header, except these three, which start tables.
            if (0xC0...0xCF).contains(kind), ![0xC4, 0xC8, 0xCC].contains(kind),
                let height = bytes.big(place + 5, 2), let width = bytes.big(place + 7, 2)
            {
                return ("JPEG", width, height)
            }
            place += 2 + length
        }
        return ("JPEG", 0, 0)
    }

    private static func webP(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: "RIFF".utf8), bytes.count >= 30,
            bytes[8..<12].elementsEqual("WEBP".utf8)
        else { return nil }
        func little(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 ": return ("WebP", little(26, 2) & 0x3FFF, little(28, 2) & 0x3FFF)
        case "VP8L":
            let bits = little(21, 4)
            return ("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        case "VP8X": return ("WebP", little(24, 3) + 1, little(27, 3) + 1)
        default: return ("WebP", 0, 0)
        }
    }

    /// Returns the format and the size of an HEIC or AVIF file. It can contain several images with
    /// separate sizes, so the largest size is returned.
    private static func heic(_ bytes: [UInt8]) -> Found? {
        guard bytes.count >= 16, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let brand = String(decoding: bytes[8..<12], as: UTF8.self)
        let formats = [
            "heic": "HEIC", "heix": "HEIC", "hevc": "HEIC", "mif1": "HEIC", "avif": "AVIF",
        ]
        guard let format = formats[brand] else { return nil }
        var (width, height) = (0, 0)
        let name = Array("ispe".utf8)
        for place in 4..<max(4, bytes.count - 16) where bytes[place..<place + 4].elementsEqual(name)
        {
            guard let w = bytes.big(place + 8, 4), let h = bytes.big(place + 12, 4) else { break }
            if w * h > width * height { (width, height) = (w, h) }
        }
        return (format, width, height)
    }
}

extension [UInt8] {
    /// Returns a big-endian number of up to four bytes.
    fileprivate func big(_ at: Int, _ count: Int) -> Int? {
        guard at >= 0, at + count <= self.count else { return nil }
        return self[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
