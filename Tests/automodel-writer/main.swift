import AutoModel
import Foundation

// A separate process for the tests.
//
//     automodel-writer add PATH NAME COUNT    saves COUNT rows one by one; "done"
//     automodel-writer rename PATH ID NAME    renames a row; "done"
//     automodel-writer crash PATH COUNT       one save for each of COUNT rows, up to the first that
//                                             fails, then SIGKILL; "open" first, "saved" for
//                                             each, and "unconfirmed" or "failed"
//     automodel-writer migrate PATH           turns a column into text; prints "half" midway and waits

enum Rows {
    @AutoModel final class Item {
        var name = ""
        var size = 0
    }
}

enum Texts {
    @AutoModel final class Item {
        var name = ""
        var size = ""
    }
}

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let path = arguments[2]

func run() throws {
    switch arguments[1] {
    case "add":
        let database = try AutoDatabase.open(at: path, models: Rows.Item.self)
        for number in 0..<(Int(arguments[4]) ?? 0) {
            let item = try Rows.Item.create()
            item.name = arguments[3]
            item.size = number
            try item.save()
        }
        try database.close()
        say("done")
    case "rename":
        let database = try AutoDatabase.open(at: path, models: Rows.Item.self)
        let item = try Rows.Item.fetch(Int64(arguments[3]) ?? 0)
        item?.name = arguments[4]
        try item?.save()
        try database.close()
        say("done")
    case "crash":
        _ = try AutoDatabase.open(at: path, models: Rows.Item.self)
        say("open")
        for number in 0..<(Int(arguments[3]) ?? 0) {
            let item = try Rows.Item.create()
            item.size = number
            do {
                try item.save()
                say("saved")
            } catch {
                say((error as? AutoModelError)?.code == .unconfirmed ? "unconfirmed" : "failed")
                break
            }
        }
        kill(getpid(), SIGKILL)
    case "migrate":
        var configuration = AutoDatabase.Configuration()
        configuration.onMigration = { event in
            guard case .progress = event else { return }
            say("half")
            Thread.sleep(forTimeInterval: 3_600)
        }
        _ = try AutoDatabase.open(
            at: path, models: Texts.Item.self, configuration: configuration)
    default: exit(64)
    }
}

do {
    try run()
} catch {
    FileHandle.standardError.write(Data("automodel-writer: \(error)\n".utf8))
    exit(1)
}
