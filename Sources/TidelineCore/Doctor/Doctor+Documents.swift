import DocumentStore
import Foundation
import Replication

extension Doctor {
    func examineDocuments(in package: StorePackage, _ findings: inout DoctorFindings) {
        do {
            guard let store = try DocumentStores.open(package.path) else { return }
            note(.documents, package, &findings) { store.devices }
            examine(store, &findings) { device in
                device.flatMap { try? package.name(of: .documents, of: $0) } ?? "Documents.db"
            }
        } catch {
            findings.add("unreadable", .error, "Documents.db", "\(error)")
        }
    }

    /// Checks each document of a store.
    ///
    /// - Parameter file: A closure that returns the file with a device's chunks.
    func examine(
        _ store: AutomergeStore, _ findings: inout DoctorFindings, file: (DeviceID?) -> String
    ) {
        for item in store.unexpectedItems {
            findings.add("oddity", .warning, file(nil), item, advice: "it is left out")
        }
        for finding in store.findings() {
            let chunks = store.chunks(of: finding.document)
            let chunk = chunks.first { $0.id == finding.chunk }
            let device = chunk?.device ?? chunks.lazy.compactMap(\.device).first
            switch finding.kind {
            case .damaged:
                findings.add(
                    "chunk", .error, file(device), of: device, finding.line(in: store),
                    advice: "replace the file with a complete copy")
            case .waiting:
                findings.add(
                    "missing-changes", .warning, file(device), of: device,
                    finding.line(in: store),
                    advice: "wait for the files of all devices to arrive")
            }
        }
    }
}
