import Foundation
import GRDB
import GrowOnlySet
import Replication

// A separate process for the tests: writes a file as a device does, and is killed while it writes.
//
//     crash-writer append PATH        batches of rows until killed; "N" after each that is saved
//     crash-writer once PATH COUNT    one batch of COUNT rows; "done"
//     crash-writer spill PATH         a transaction that reaches the file and never ends; "spilled"
//     crash-writer log PATH           rows in a write-ahead log that is never checkpointed; "logged"
//     crash-writer set PACKAGE RUN    elements of a set until killed; each that is saved
//     crash-writer lock PATH          "free" or "busy": whether another process is writing

func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

func prepare(_ db: Database) throws {
    try db.execute(
        sql: """
            CREATE TABLE IF NOT EXISTS row (
                id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, size INTEGER NOT NULL, value BLOB)
            """)
}

func append(_ count: Int, to db: Database) throws -> Int {
    let batch = 1 + (try Int.fetchOne(db, sql: "SELECT max(batch) FROM row") ?? 0)
    for _ in 0..<count {
        try db.execute(
            sql: "INSERT INTO row (batch, size, value) VALUES (?, ?, randomblob(?))",
            arguments: [batch, count, Int.random(in: 0...2_000)])
    }
    return batch
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let path = arguments[2]

do {
    switch arguments[1] {
    case "append":
        let database = LocalDatabase(path: path, prepare: prepare)
        while true {
            let batch = try database.write { try append(Int.random(in: 1...60), to: $0) }
            say("\(batch)")
            // The process can also be killed while it opens or closes the file.
            if batch % 7 == 0 { database.close() }
        }
    case "once":
        let count = Int(arguments.count > 3 ? arguments[3] : "") ?? 1
        let database = LocalDatabase(path: path, prepare: prepare)
        _ = try database.write { try append(count, to: $0) }
        say("done")
    case "spill":
        let database = LocalDatabase(path: path, prepare: prepare)
        try database.write { db in
            try db.execute(sql: "PRAGMA cache_size = 5")
            try db.execute(sql: "UPDATE row SET value = randomblob(length(value))")
            _ = try append(2_000, to: db)
            say("spilled")
            Thread.sleep(forTimeInterval: 3_600)
        }
    case "log":
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try db.inTransaction {
                try prepare(db)
                _ = try append(500, to: db)
                return .commit
            }
        }
        say("logged")
        Thread.sleep(forTimeInterval: 3_600)
    case "set":
        let set = GrowOnlySet(
            package: try StorePackage(opening: path), device: try DeviceID("killed"))
        try set.load()
        let run = arguments.count > 3 ? arguments[3] : ""
        for number in 0... {
            let elements = (0..<Int.random(in: 1...60)).map { "\(run) \(number) \($0)" }
            for element in elements { set.insert(element) }
            try set.save()
            say(elements.joined(separator: "\n"))
        }
    case "lock":
        var options = LocalDatabase.Options()
        options.busyTimeout = .zero
        do {
            try LocalDatabase(path: path, options: options) { _ in }.write { _ in }
            say("free")
        } catch let error as ReplicationError where error.code == .busy {
            say("busy")
        }
    default:
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("crash-writer: \(error)\n".utf8))
    exit(1)
}
