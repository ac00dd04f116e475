import Replication
import TidelineCore

extension Table {
    /// Creates the table of devices as `info` and `devices` print it.
    init(of devices: [SessionStatus.Device]) {
        self.init("DEVICE", "NAME", "FORMAT", "ROWS", "KEYS", "LAST", "STATE")
        for device in devices {
            add(
                device.id.name, device.name, device.format ?? "", String(device.rows),
                String(device.keys), device.newest?.iso8601 ?? "", device.state)
        }
    }
}

extension SessionStatus.Device {
    /// The device as `info` and `devices` print it.
    var json: [Name: JSONValue] {
        [
            "device": .string(id.name), "name": .string(name), "format": .optional(format),
            "rows": .count(rows), "keys": .count(keys), "first": .optional(oldest?.iso8601),
            "last": .optional(newest?.iso8601), "bytes": .integer(bytes), "state": .string(state),
            "problem": .optional(problem),
        ]
    }
}
