import Foundation
import KeyValueStore

/// The sort order of values: booleans, numbers by size, dates by time, texts in natural order,
/// bytes, lists and maps. Unknown values come last.
enum ValueOrder: Comparable {
    case boolean(Int)
    /// A number. `rest` is the part of a large integer that a real can't represent.
    case number(Double, rest: Int64)
    case date(Date)
    case text(NaturalText)
    case data(Int, line: String)
    case array(line: String)
    case dictionary(line: String)
    case none

    init(_ value: PropertyList?) {
        switch value {
        case .boolean(let value): self = .boolean(value ? 1 : 0)
        case .integer(let number):
            let nearest = Double(number)
            let whole = Int64(exactly: nearest)
            // If `whole` is `nil`, `nearest` was rounded up to 2⁶³.
            self = .number(nearest, rest: whole.map { number &- $0 } ?? number &- .max &- 1)
        case .unsigned(let number):
            let nearest = Double(number)
            let whole = UInt64(exactly: nearest) ?? 0
            self = .number(nearest, rest: Int64(bitPattern: number &- whole))
        case .real(let number): self = number.isNaN ? .none : .number(number, rest: 0)
        case .date(let date): self = .date(date)
        case .string(let text): self = .text(NaturalText(text))
        case .data(let bytes): self = .data(bytes.count, line: value?.line ?? "")
        case .array: self = .array(line: value?.line ?? "")
        case .dictionary: self = .dictionary(line: value?.line ?? "")
        default: self = .none
        }
    }
}
