import EntityStore
import KeyValueStore
import Replication

extension StoreInfo {
    /// Adds what a package's `Entities.db` files hold, where there are any.
    mutating func describeEntities(_ package: StorePackage) throws {
        guard EntitiesPart.isPresent(in: package) else { return }
        add(try EntitySummary.read(package: package), names: package.deviceNames())
    }

    /// Tells of a single file of entities.
    mutating func describeEntities(_ kind: StoreKind, _ path: String) throws {
        let summary =
            kind == .coreDataEntities
            ? try EntitySummary.read(coreData: path) : try EntitySummary.read(log: path)
        add(summary, names: [:])
    }

    private mutating func add(_ summary: EntitySummary, names: [DeviceID: String]) {
        counts["entities"] = summary.entityCount
        counts["properties"] = summary.propertyCount
        counts["rows", default: 0] += summary.rowCount
        for status in summary.devices {
            if let problem = status.problem { problems.append("\(status.device): \(problem)") }
            guard let place = devices.firstIndex(where: { $0.id == status.device }) else {
                devices.append(
                    Device(
                        id: status.device, name: names[status.device] ?? status.device.name,
                        format: kind == "package" ? "tideline-2" : format,
                        rows: status.rowCount, keys: 0, first: nil, last: status.newest,
                        bytes: status.byteCount, state: status.state.rawValue,
                        problem: status.problem))
                continue
            }
            devices[place].rows += status.rowCount
            devices[place].bytes += status.byteCount
            devices[place].last = [devices[place].last, status.newest].compactMap { $0 }.max()
            // A device without keys is not absent where it has entities.
            if devices[place].state == "absent" || status.state != .ok {
                devices[place].state = status.state.rawValue
                devices[place].problem = status.problem
            }
            devices[place].format = devices[place].format ?? "tideline-2"
        }
        devices.sort { $0.id < $1.id }
    }
}
