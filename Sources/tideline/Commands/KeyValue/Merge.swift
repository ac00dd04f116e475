import ArgumentParser
import KeyValueStore
import Replication
import TidelineCore

/// `tideline merge`: brings the rows and blobs of another copy of a store into this one.
struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Merge another copy of a store into this one.",
        discussion: """
            Logs of one device in both are united. A device that went on writing in both is unsafe:
            name it, and what the other copy has more goes to a device of its own.
            Example: tideline merge Notes.store Backup.store --unsafe-device ben-phone
            """)
    @OptionGroup var store: PathArgument
    @Argument(help: "The store to take from.", completion: .directory) var other: String
    @Option(name: .customLong("unsafe-device"), help: "A device that wrote in both.")
    var unsafeDevices: [String] = []
    @OptionGroup var device: DeviceOption

    func run() throws {
        let unsafe = try unsafeDevices.map { try DeviceID($0) }
        let other = try OpenStore.reading(self.other, as: device.forWriting())
        try OpenStore.writing(store.path, as: device) { store in
            let rows = try store.merge(other, unsafeDevices: Set(unsafe))
            Output.note("\(rows) rows")
        }
    }
}
