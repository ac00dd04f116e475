import Foundation
package import KeyValueStore
import Replication

/// An archive written by Apple's `NSKeyedArchiver`, whose objects refer to each other by number.
/// Unfolding nests each object in the object that refers to it.
package enum KeyedArchive {
    /// The maximum number of unfolded objects.
    private static let limit = 20_000
    private static let depthLimit = 64

    /// Returns the archived objects, nested; `nil` for a value that isn't a keyed archive.
    ///
    /// Strings, numbers, dates, data, arrays, sets and dictionaries become plain values. Other
    /// objects become dictionaries, with the class name under `$class`. An object that contains
    /// itself is replaced by its number.
    package static func unfolded(_ list: PropertyList) -> PropertyList? {
        guard case .dictionary(let archive) = list, archive["$archiver"] != nil,
            case .array(let objects)? = archive["$objects"],
            case .dictionary(let top)? = archive["$top"]
        else { return nil }
        var unfolding = Unfolding(objects: objects)
        if top.count == 1, let root = top.values.first { return unfolding.value(root, 0) }
        return .dictionary(top.compactMapValues { unfolding.value($0, 0) })
    }

    private struct Unfolding {
        let objects: [PropertyList]
        var open: Set<Int> = []
        var count = 0

        /// Returns a value with its references resolved.
        ///
        /// - Returns: `nil` for a reference to a null object.
        mutating func value(_ list: PropertyList, _ depth: Int) -> PropertyList? {
            count += 1
            guard count <= KeyedArchive.limit, depth < KeyedArchive.depthLimit else {
                return .string("…")
            }
            switch list {
            case .dictionary(let members):
                if members.count == 1, case .integer(let number)? = members["CF$UID"] {
                    return object(number, depth)
                }
                return .dictionary(members.compactMapValues { value($0, depth + 1) })
            case .array(let items):
                return .array(items.map { value($0, depth + 1) ?? .string("nil") })
            default: return list
            }
        }

        private mutating func object(_ number: Int64, _ depth: Int) -> PropertyList? {
            guard let index = Int(exactly: number), objects.indices.contains(index), index > 0
            else { return nil }
            guard !open.contains(index) else {
                return .string("(object \(index), which contains this)")
            }
            guard case .dictionary(var members) = objects[index] else { return objects[index] }
            guard let type = className(members["$class"]) else {
                open.insert(index)
                defer { open.remove(index) }
                return value(objects[index], depth + 1)
            }
            open.insert(index)
            defer { open.remove(index) }
            members["$class"] = nil
            return known(type, members, depth)
                ?? other(type, members, depth)
        }

        private func className(_ reference: PropertyList?) -> String? {
            guard case .dictionary(let uid)? = reference,
                case .integer(let number)? = uid["CF$UID"],
                let index = Int(exactly: number), objects.indices.contains(index),
                case .dictionary(let type) = objects[index],
                case .string(let name)? = type["$classname"]
            else { return nil }
            return name
        }

        private mutating func known(
            _ type: String, _ members: [Name: PropertyList], _ depth: Int
        ) -> PropertyList? {
            if case .array(let values)? = members["NS.objects"] {
                guard case .array(let keys)? = members["NS.keys"], keys.count == values.count else {
                    return .array(values.map { value($0, depth + 1) ?? .string("nil") })
                }
                var result: [Name: PropertyList] = [:]
                for (key, item) in zip(keys, values) {
                    let key = value(key, depth + 1) ?? .string("nil")
                    let name = if case .string(let text) = key { text } else { key.description }
                    result[Name(name)] = value(item, depth + 1) ?? .string("nil")
                }
                return .dictionary(result)
            }
            if case .string? = members["NS.string"] { return members["NS.string"] }
            if case .real(let seconds)? = members["NS.time"] {
                return .date(Date(timeIntervalSinceReferenceDate: seconds))
            }
            if case .data? = members["NS.data"] { return members["NS.data"] }
            if case .data(let bytes)? = members["NS.uuidbytes"], let uuid = UUID(bytes: bytes) {
                return .string(uuid.uuidString)
            }
            if let relative = members["NS.relative"] { return value(relative, depth + 1) }
            if type.hasSuffix("AttributedString"), let text = members["NSString"] {
                return value(text, depth + 1)
            }
            return nil
        }

        private mutating func other(
            _ type: String, _ members: [Name: PropertyList], _ depth: Int
        ) -> PropertyList {
            var result: [Name: PropertyList] = ["$class": .string(type)]
            for (name, member) in members {
                if let value = value(member, depth + 1) { result[name] = value }
            }
            return .dictionary(result)
        }
    }
}
