import CNcurses
import TidelineUI

/// The terminal's description. Readable after `setupterm`.
enum Terminfo {
    /// Returns a capability as bytes, without the padding that old terminals need.
    static func string(_ name: String) -> [UInt8]? {
        guard let text = tigetstr(name), Int(bitPattern: text) != -1 else { return nil }
        var bytes: [UInt8] = []
        var rest = String(cString: text).utf8[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "$"), rest.dropFirst().first == UInt8(ascii: "<"),
                let end = rest.firstIndex(of: UInt8(ascii: ">"))
            {
                rest = rest[end...].dropFirst()
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return bytes
    }

    /// The keys of the terminal's description, by sequence.
    static var keys: [[UInt8]: Key] {
        var codes: [(String, Key.Code)] = [
            ("kcuu1", .up), ("kcud1", .down), ("kcub1", .left), ("kcuf1", .right),
            ("khome", .home), ("kend", .end), ("kpp", .pageUp), ("knp", .pageDown),
            ("kich1", .insert), ("kdch1", .delete), ("kcbt", .backTab), ("kent", .enter),
        ]
        for number in 1...20 { codes.append(("kf\(number)", .function(number))) }
        var keys: [[UInt8]: Key] = [:]
        for (name, code) in codes {
            // A sequence of one byte is a control character, which already has a meaning.
            guard let bytes = string(name), bytes.count > 1, bytes.count <= 8, bytes[0] == 0x1B
            else { continue }
            if keys[bytes] == nil { keys[bytes] = Key(code) }
        }
        return keys
    }
}
