extension StoreInfo {
    /// What one data model says of a path.
    struct Section {
        /// By the names of the contract: `keys`, `rows`, `conflicts`, …
        var counts: [String: Int] = [:]
        /// What its store has of each device.
        var devices: [DeviceReport] = []
        /// What is wrong beside what the devices say, each thing in one line.
        var problems: [String] = []
    }
}
