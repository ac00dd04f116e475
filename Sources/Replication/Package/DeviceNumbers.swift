/// The numbers of devices in a store's memory, from zero in order of appearance.
package struct DeviceNumbers: Sendable {
    /// The devices by number.
    package private(set) var devices: [DeviceID] = []
    private var numbers: [DeviceID: UInt16] = [:]
    /// Each device's rank in the byte order of identifiers.
    private var ranks: [UInt16] = []
    /// The devices by rank.
    private var inOrder: [UInt16] = []

    /// Creates an empty list.
    package init() {}

    /// Returns the number of `device`; `nil` if it has none.
    package subscript(device: DeviceID) -> UInt16? { numbers[device] }

    /// Returns the number of `device`, and assigns one if it has none.
    ///
    /// - Returns: `nil` if all 65,535 numbers are taken.
    package mutating func number(of device: DeviceID) -> UInt16? {
        if let known = numbers[device] { return known }
        guard devices.count < Int(UInt16.max) else { return nil }
        let number = UInt16(devices.count)
        devices.append(device)
        numbers[device] = number
        let first = inOrder.indices.firstPosition { devices[Int(inOrder[$0])] >= device }
        inOrder.insert(number, at: first)
        ranks.append(0)
        for rank in first..<inOrder.count { ranks[Int(inOrder[rank])] = UInt16(rank) }
        return number
    }

    /// Returns whether the identifier of a numbered device comes after that of another one. This
    /// decides ties (data rule 6).
    package func isAfter(_ one: UInt16, _ other: UInt16) -> Bool {
        ranks[Int(one)] > ranks[Int(other)]
    }
}
