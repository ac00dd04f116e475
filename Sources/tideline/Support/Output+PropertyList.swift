import CommandSupport
import Foundation
import KeyValueStore

extension Output {
    /// Prints a value as a line of JSON. Long data is encoded in pieces.
    static func json(_ value: PropertyList) throws {
        guard case .data(let data) = value else { return line(try value.json()) }
        piece("{\"$data\":\"")
        // Three bytes become four characters, so pieces of multiples of three can be concatenated.
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + (3 << 16), data.endIndex)
            piece(data[start..<end].base64EncodedString())
            start = end
        }
        line("\"}")
    }
}
