import Automerge
import DocumentStore
import Foundation
import Replication

// Another process for the tests: edits a document as a device does, and is killed meanwhile.
//
//     document-writer package PATH DEVICE     adds numbers to a list until killed; "N" after each
//     document-writer folder PATH             that is on disk, and "ID" before the first

func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }

do {
    var configuration = AutomergeStore.Configuration()
    configuration.watchesFolder = false
    let store =
        arguments[1] == "folder"
        ? try AutomergeStore(storageFolder: arguments[2], configuration: configuration)
        : try AutomergeStore(
            package: arguments[2], device: DeviceID(arguments[3]), configuration: configuration)
    let id = try store.workspaces.first?.id ?? store.newWorkspace(named: "killed").id
    guard let document = try store.openDocument(id) else { exit(1) }
    say(id.uuidString)
    var next: Int64 =
        (try document.automerge.get(obj: .ROOT, key: "last")).flatMap { value in
            if case .Scalar(.Int(let number)) = value { number } else { nil }
        } ?? 0
    while true {
        next += 1
        try document.automerge.put(obj: .ROOT, key: "last", value: .Int(next))
        try document.automerge.put(obj: .ROOT, key: "number \(next % 50)", value: .Int(next))
        try document.save()
        say("\(next)")
        if next % 40 == 0 { try store.compact(id) }
    }
} catch {
    FileHandle.standardError.write(Data("document-writer: \(error)\n".utf8))
    exit(1)
}
