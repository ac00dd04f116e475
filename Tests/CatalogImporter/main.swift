// catalog-importer CATALOG FILE: imports logicals, and stops before the end of the file.
//
// A test kills this process, and then checks the catalog.
import Foundation
import GRDB
import ServerCatalog
import ServerCatalogGRDB

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(64) }

var configuration = Configuration()
configuration.prepareDatabase { db in
    // A cache this small has SQLite write to the file long before the transaction ends.
    try db.execute(sql: "PRAGMA journal_mode = TRUNCATE; PRAGMA cache_size = 10")
}
let queue = try DatabaseQueue(path: arguments[1], configuration: configuration)
let file = try Data(contentsOf: URL(filePath: arguments[2]))
var rest = file
let stream = ByteStream {
    guard rest.count > 4096 else {
        FileHandle.standardOutput.write(Data("almost there\n".utf8))
        while true { sleep(60) }
    }
    defer { rest = Data(rest.dropFirst(4096)) }
    return Data(rest.prefix(4096))
}
_ = try CatalogDatabase(queue, names: .english).importLogicals(stream)
