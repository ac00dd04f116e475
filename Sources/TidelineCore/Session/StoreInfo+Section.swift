extension StoreInfo {
    /// The contribution of one data model.
    struct Section {
        /// The counts, by their JSON names: `keys`, `rows`, `conflicts`, …
        var counts: [String: Int] = [:]
        /// The state of each device in this store.
        var devices: [DeviceReport] = []
        /// Problems other than those of the devices, one line each.
        var problems: [String] = []
    }
}
