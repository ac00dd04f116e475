import Foundation
import LosslessJSON
import Replication

extension JSONWriter {
    /// Writes a value in the format of ``PropertyList/json(_:)``.
    mutating func append(_ value: PropertyList, depth: Int = 0) throws(PropertyListError) {
        switch value {
        case .string(let text): string(text)
        case .integer(let number): integer(number)
        case .unsigned(let number): integer(number)
        case .real(let number):
            if number.isNaN {
                tagged(.real, JSONTag.exactText(for: number))
            } else {
                real(number)
            }
        case .boolean(let truth): boolean(truth)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            if let text = DateText.text(secondsSince2001: seconds) {
                tagged(.date, text)
            } else {
                try object { (writer) throws(PropertyListError) in
                    writer.key(JSONTag.date.rawValue)
                    writer.real(seconds)
                }
            }
        case .data(let data): tagged(.data, data.base64EncodedString())
        case .array(let elements):
            try Self.check(depth)
            try array { (writer) throws(PropertyListError) in
                for element in elements { try writer.append(element, depth: depth + 1) }
            }
        case .dictionary(let entries):
            try Self.check(depth)
            if entries.count == 1, let key = entries.keys.first,
                PropertyList.jsonTag(key.text) != nil
            {
                try object { (writer) throws(PropertyListError) in
                    writer.key(JSONTag.dictionary.rawValue)
                    try writer.append(entries, depth: depth)
                }
            } else {
                try append(entries, depth: depth)
            }
        }
    }

    private mutating func append(
        _ entries: [Name: PropertyList], depth: Int
    ) throws(PropertyListError) {
        try object { (writer) throws(PropertyListError) in
            let sorted = entries.sorted { $0.key < $1.key }
            for (key, value) in sorted {
                writer.key(key.text)
                try writer.append(value, depth: depth + 1)
            }
        }
    }

    private static func check(_ depth: Int) throws(PropertyListError) {
        guard depth < PropertyList.depthLimit else {
            throw PropertyListError(
                .tooDeep, "nested deeper than \(PropertyList.depthLimit) levels")
        }
    }
}
