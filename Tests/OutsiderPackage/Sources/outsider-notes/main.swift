import Foundation
import KeyValueStore

// The README's example at the top level of a program.
let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }
let path = folder + "/Notes.store"
// begin
let store = try KeyValueStore(path: path, device: "desk")
try store.load()
let title = "Groceries"
try store.set(title, forKey: "note/1/title")  // takes microseconds, on any thread
try store.save()  // on disk when it returns
// end
print(try await store.perform { try $0.rows(forKey: "note/1/title").count }, "row")
try store.close()
