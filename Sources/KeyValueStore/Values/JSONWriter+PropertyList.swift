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
            if number.isNaN, number.bitPattern != Double.nan.bitPattern {
                form("$real", "nan:" + String(number.bitPattern, radix: 16))
            } else {
                real(number)
            }
        case .boolean(let truth): boolean(truth)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            if let text = DateText.text(secondsSince2001: seconds) {
                form("$date", text)
            } else {
                try object { (writer) throws(PropertyListError) in
                    writer.key("$date")
                    writer.real(seconds)
                }
            }
        case .data(let data): form("$data", data.base64EncodedString())
        case .array(let elements):
            try Self.check(depth)
            try array { (writer) throws(PropertyListError) in
                for element in elements { try writer.append(element, depth: depth + 1) }
            }
        case .dictionary(let entries):
            try Self.check(depth)
            if entries.count == 1, let key = entries.keys.first,
                PropertyList.jsonForms.contains(key.text)
            {
                try object { (writer) throws(PropertyListError) in
                    writer.key("$dictionary")
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
