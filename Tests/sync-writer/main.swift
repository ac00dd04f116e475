import AutoModel
import AutoModelSync
import Foundation
import Replication

// Another process for the tests: saves rows of a synced model and says the number of each, until it
// is ended.
//
//     sync-writer PATH PACKAGE DEVICE

@AutoModel final class Entry {
    var text = ""
    var count = 0
    static var schema: ModelSchema<Entry> { ModelSchema().synced() }
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else { exit(64) }

func run() async throws {
    let database = try await AutoDatabase.open(at: arguments[1], models: Entry.self)
    let sync = try await AutoSync.start(
        database, in: StorePackage(creating: arguments[2]), device: DeviceID(arguments[3]))
    while true {
        let entry = try Entry.create { $0.text = "new" }
        try await entry.save()
        entry.count = 1
        try await entry.save()
        FileHandle.standardOutput.write(Data("\(entry.id)\n".utf8))
        withExtendedLifetime(sync) {}
    }
}

try await run()
