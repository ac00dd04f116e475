// begin
import AutoModel
import AutoModelSync
import Foundation
import Replication

@AutoModel final class Note {
    var text = ""
    var due: Date?
    static var schema: ModelSchema<Note> { ModelSchema().synced() }
}

@main struct Notes {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let package = try StorePackage(creating: folder + "/Notes.store")
        let desk = try await AutoDatabase.open(at: folder + "/desk.db", models: Note.self)
        let sync = try await AutoSync.start(desk, in: package, device: DeviceID("desk"))
        try await Note.create { $0.text = "Call Nina" }.save()
        try await sync.sync()

        let phone = try await AutoDatabase.open(at: folder + "/phone.db", models: Note.self)
        let other = try await AutoSync.start(phone, in: package, device: DeviceID("phone"))
        print(try await phone.use { try await Note.all.fetch().map(\.text) })
        await sync.stop()
        await other.stop()
        // end
    }
}
