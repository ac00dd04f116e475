import Foundation
package import Replication

/// Values as trees for Swift's `Codable`: dates are whole microseconds, and ``EntityReference`` is
/// a relationship. There is no null.
extension EntityValue: TreeValue {
    package static let treeDepthLimit = depthLimit

    package init?(tree content: TreeContent<Self>) {
        switch content {
        case .boolean(let truth): self = .boolean(truth)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .string(let text): self = .string(text)
        case .data(let data): self = .data(data)
        case .date(let date):
            // About 285,000 years in both directions. NaN also fails the comparison.
            guard abs(date.timeIntervalSinceReferenceDate) < 9_000_000_000_000 else { return nil }
            self = .date(Timestamp(date))
        case .instant(let instant): self = .date(instant)
        case .array(let elements): self = .array(elements)
        case .dictionary(let members): self = .dictionary(members)
        case .null, .unsigned, .ownKind: return nil
        }
    }

    package var treeContent: TreeContent<Self> {
        switch self {
        case .boolean(let truth): .boolean(truth)
        case .integer(let number): .integer(number)
        // Every NaN is the same value.
        case .double(let number): .double(number.isNaN ? .nan : number)
        case .string(let text): .string(text)
        case .data(let data): .data(data)
        case .date(let instant): .instant(instant)
        case .array(let elements): .array(elements)
        case .dictionary(let members): .dictionary(members)
        case .relationship: .ownKind
        }
    }

    package var treeKind: String { kind == .relationship ? "relationship" : kind.name }

    package static func hasOwnKind(_ type: Any.Type) -> Bool {
        type is Timestamp.Type || type is EntityReference.Type
    }

    package init?(ownKind value: Any) {
        switch value {
        case let date as Timestamp: self = .date(date)
        case let reference as EntityReference: self = .relationship(reference)
        default: return nil
        }
    }

    package func ownKind(_ type: Any.Type) -> Any? {
        switch type {
        case is Timestamp.Type: date
        case is EntityReference.Type: relationship
        default: nil
        }
    }
}
