import ArgumentParser
import CommandSupport
import Replication
import TidelineCore

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a file or package contains, and the state of its devices.",
        discussion: "Example: tideline info Notes.store --json")
    @OptionGroup var store: PathArgument
    @OptionGroup var json: JSONFlag

    func run() throws {
        let info = try Failure.of(store.path) { try StoreInfo(of: store.path) }
        if json.json {
            Output.json(info.json)
        } else {
            print(info)
        }
        if let damage = info.damage { throw Failure(.badData, store.path, damage) }
    }

    /// Returns the singular of a count's name.
    private static func singular(_ name: String) -> String {
        switch name {
        case "entities": "entity"
        case "properties": "property"
        default: String(name.dropLast())
        }
    }

    private func print(_ info: StoreInfo) {
        Output.text("\(Printable.line(info.path)): \(info.kind), \(info.format)")
        let counts = info.counts.sorted { $0.key < $1.key }.map { name, count in
            Counted.text(count, Self.singular(name), name)
        }
        if !counts.isEmpty { Output.line(counts.joined(separator: ", ")) }
        Table(of: info.devices).print()
        for problem in info.problems { Output.text("! \(Printable.line(problem))") }
    }
}

extension StoreInfo {
    var json: JSONValue {
        [
            "path": .string(path), "kind": .string(kind), "format": .string(format),
            "devices": .array(devices.map { .object($0.json) }),
            "counts": .object(Dictionary(counts.mapValues(JSONValue.count))),
            "problems": .array(problems.map(JSONValue.string)),
        ]
    }
}
