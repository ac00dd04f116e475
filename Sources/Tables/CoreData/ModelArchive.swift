import Foundation
import KeyValueStore

/// The model that a Core Data store keeps in `Z_MODELCACHE`: an archive, perhaps compressed.
enum ModelArchive {
    /// Every text in the archive, names of entities and attributes among them; none where it cannot
    /// be read.
    static func strings(_ content: Data) -> [String] {
        let data =
            Inflation.isZlib(content) || Inflation.isGzip(content)
            ? Inflation.inflate(content, limit: 32 << 20)?.data ?? content : content
        guard data.starts(with: Data("bplist00".utf8)), let list = try? PropertyList(archive: data)
        else { return [] }
        var strings: [String] = []
        collect(list, into: &strings)
        return strings
    }

    private static func collect(_ list: PropertyList, into strings: inout [String]) {
        switch list {
        case .string(let text): strings.append(text)
        case .array(let items): for item in items { collect(item, into: &strings) }
        case .dictionary(let members):
            for member in members.values { collect(member, into: &strings) }
        default: break
        }
    }
}
