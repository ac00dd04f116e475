import AutoModel
import AutoModelSync
import Foundation
import Replication

// A separate process for the tests, with a synced model.
//
//     sync-writer PATH PACKAGE DEVICE               saves rows until killed, and prints their ids
//     sync-writer PATH PACKAGE DEVICE put ID TEXT   sets the text of a row
//     sync-writer PATH PACKAGE DEVICE get ID        prints the text of a row
//     sync-writer PATH PACKAGE DEVICE follow ID     prints the text, and again after each change,
//                                                   until killed

@AutoModel final class Entry {
    var text = ""
    var count = 0
    static var schema: ModelSchema<Entry> { ModelSchema().synced() }
}

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(64) }

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

func follow(_ id: Int64, _ sync: AutoSync) async throws {
    for try await change in try Entry.where({ $0.id == id }).live() {
        say(change.list.first?.text ?? "")
    }
    withExtendedLifetime(sync) {}
}

func run() async throws {
    let database = try await AutoDatabase.open(at: arguments[1], models: Entry.self)
    let sync = try await AutoSync.start(
        database, in: StorePackage(creating: arguments[2]), device: DeviceID(arguments[3]))
    if arguments.count > 5, let id = Int64(arguments[5]) {
        if arguments[4] == "follow" { return try await follow(id, sync) }
        if arguments[4] == "get" {
            try await sync.sync()
            say(try await Entry.fetch(id)?.text ?? "")
            return await sync.stop()
        }
        let entry = try await Entry.create(id: id)
        entry.text = arguments[6]
        try await entry.save()
        try await sync.sync()
        return await sync.stop()
    }
    while true {
        let entry = try Entry.create { $0.text = "new" }
        try await entry.save()
        entry.count = 1
        try await entry.save()
        say("\(entry.id)")
        withExtendedLifetime(sync) {}
    }
}

try await run()
