extension StoreInfo {
    /// The contribution of one data model to the output.
    package struct Section {
        /// The counts, by their JSON names: `keys`, `rows`, `conflicts`, …
        package var counts: [String: Int] = [:]
        /// The state of each device in this store.
        package var devices: [DeviceReport] = []
        /// Problems that don't belong to a device, one line each.
        package var problems: [String] = []
        /// The reason why a store of one file is damaged; `nil` if it isn't.
        package var damage: String?

        package init(
            counts: [String: Int] = [:], devices: [DeviceReport] = [], problems: [String] = []
        ) {
            self.counts = counts
            self.devices = devices
            self.problems = problems
        }
    }
}
