import Automerge
import DocumentStore
import Foundation
import Replication

// A separate process for the tests: edits documents as a device does, and is killed while it edits.
//
//     document-writer package PATH DEVICE     puts numbers into three documents in turn until
//     document-writer folder PATH             killed: "N" after each that is on disk

let documentCount = 3

func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

func last(in document: AutomergeStore.Document) throws -> Int64 {
    guard case .Scalar(.Int(let number))? = try document.automerge.get(obj: .ROOT, key: "last")
    else { return 0 }
    return number
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
    while store.workspaceSummaries.count < documentCount {
        _ = try store.newWorkspace(named: "killed")
    }
    let documents = try store.documentSummaries().compactMap { try store.openDocument($0.id) }
    var next = try documents.map(last).max() ?? 0
    while true {
        next += 1
        let document = documents[Int(next) % documents.count]
        try document.automerge.put(obj: .ROOT, key: "last", value: .Int(next))
        try document.automerge.put(obj: .ROOT, key: "number \(next % 50)", value: .Int(next))
        try document.save()
        say("\(next)")
        if next % 40 == 0 { try store.compact(document.id) }
    }
} catch {
    FileHandle.standardError.write(Data("document-writer: \(error)\n".utf8))
    exit(1)
}
