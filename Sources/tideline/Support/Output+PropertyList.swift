import CommandSupport
import Foundation
import KeyValueStore

extension Output {
    /// A value as a line of JSON; long bytes are encoded as they are written.
    static func json(_ value: PropertyList) throws {
        guard case .data(let data) = value else { return line(try value.json()) }
        piece("{\"$data\":\"")
        // Three bytes are four characters, so that pieces of whole threes fit together.
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + (3 << 16), data.endIndex)
            piece(data[start..<end].base64EncodedString())
            start = end
        }
        line("\"}")
    }
}
