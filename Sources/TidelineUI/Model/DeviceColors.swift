/// The colors that distinguish devices.
///
/// A device keeps its color when other devices arrive. The color is derived from the device's name,
/// unless another color has fewer devices.
struct DeviceColors: Hashable, Sendable {
    /// The index in ``Role/devices``, by device name.
    private(set) var numbers: [String: Int]

    init(_ kept: [String: Int] = [:]) {
        numbers = kept.filter { Role.devices.indices.contains($0.value) }
    }

    /// Assigns colors to the devices that have none.
    ///
    /// - Complexity: O(*n*) in the number of devices.
    mutating func assign(_ devices: [String]) {
        let new = devices.filter { numbers[$0] == nil }
        guard !new.isEmpty else { return }
        let count = Role.devices.count
        var uses = [Int](repeating: 0, count: count)
        for number in numbers.values { uses[number] += 1 }
        for device in new {
            let least = uses.min() ?? 0
            let preferred = Self.preferred(of: device)
            let number =
                (0..<count).map { (preferred + $0) % count }.first { uses[$0] == least }
                ?? preferred
            numbers[device] = number
            uses[number] += 1
        }
    }

    /// Returns the role of a device's name; `nil` for an unknown device.
    func role(of device: String) -> Role? { numbers[device].map { Role.devices[$0] } }

    /// Returns the colors to save; `nil` if a new assignment results in the same colors.
    func kept(of devices: [String]) -> [String: Int]? {
        var fresh = DeviceColors()
        fresh.assign(devices)
        let known = Set(devices)
        let current = numbers.filter { known.contains($0.key) }
        return current == fresh.numbers ? nil : current
    }

    /// Returns the preferred color of a name, by its FNV-1a hash.
    private static func preferred(of name: String) -> Int {
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return Int(hash % UInt32(Role.devices.count))
    }
}
