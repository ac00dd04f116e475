import Replication
import TidelineCore

/// The name of this device. The preview of the device's first write to a store offers to set it.
extension Model {
    /// Returns the suggested name of the device that the edits create; `nil` if the user has chosen
    /// a name or the device already has a name in the store.
    func suggestedDeviceName(for previews: [EditPreview]) -> String? {
        guard previews.contains(where: \.createsDevice), let hostName = preferences.hostName,
            let own = session.status.ownDevice,
            session.status.devices.allSatisfy({ $0.id != own || $0.name == own.name }),
            devicesList != nil
        else { return nil }
        return hostName
    }

    private var devicesList: SourceID? {
        navigation.panes.first { $0.id == .devices }?.lists[0].source.id
    }

    /// Gives this device a name, after the write that created it.
    mutating func nameDevice(_ name: String?) -> [Effect] {
        guard let name, let own = session.status.ownDevice, let devicesList else { return [] }
        let id = requests.wait(for: .naming(name), of: devicesList)
        return [.nameDevice(id, devicesList, RowID(own.name), name)]
    }

    mutating func receiveNamed(_ id: RequestID, _ answer: Answer<String>) {
        guard let awaited = requests.take(id), case .naming(let name) = awaited.purpose else {
            return
        }
        switch answer {
        case .success:
            session.version += 1
            let text = "named this device “\(name)”"
            if notice?.kind == .done {
                notice?.text += "; \(text)"
            } else {
                say(.done, text)
            }
        case .failure(let failure):
            say(.warning, "this device has no name yet: \(failure.message)")
        }
    }
}
