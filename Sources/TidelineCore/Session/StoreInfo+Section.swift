extension StoreInfo {
    /// The contribution of one data model to the output.
    package struct Section {
        /// The counts, by their JSON names: `keys`, `rows`, `conflicts`, …
        package var counts: [String: Int] = [:]
        /// The state of each device in this store.
        package var devices: [DeviceReport] = []
        /// Problems that don't belong to a device, one line each.
        package var problems: [String] = []
        /// The damage of a store that is a single file; `nil` if the file isn't damaged.
        package var damage: String?
    }
}
