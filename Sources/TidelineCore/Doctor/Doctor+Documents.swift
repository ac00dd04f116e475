import DocumentStore
import Foundation
import Replication

/// Checks of documents and their chunks.
extension Doctor {
    /// Checks each document of a package.
    func examineDocuments(in package: StorePackage, _ findings: inout Findings) {
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
    /// - Parameter file: Returns the file that contains a device's chunks.
    func examine(
        _ store: AutomergeStore, _ findings: inout Findings, file: (DeviceID?) -> String
    ) {
        for oddity in store.oddities {
            findings.add("oddity", .warning, file(nil), oddity, advice: "it is left out")
        }
        for document in store.documents() {
            let name = store.text(of: document.id)
            let chunks = store.chunks(of: document.id)
            let first = chunks.lazy.compactMap(\.device).first
            do {
                guard let opened = try store.openDocument(document.id) else { continue }
                // The problems are known only while the document is open.
                let problems = withExtendedLifetime(opened) { store.problems(of: document.id) }
                guard let problems else { continue }
                for (chunk, problem) in problems.damagedChunks.sorted(by: { $0.key < $1.key }) {
                    let device = chunks.first { $0.id == chunk }?.device
                    findings.add(
                        "chunk", .error, file(device), of: device,
                        "chunk \(chunk) of document \(name) is damaged and skipped: \(problem)",
                        advice: "replace the file with a complete copy")
                }
                if !problems.missing.isEmpty {
                    addMissing(
                        Counted.text(
                            problems.waitingCount, "change of document \(name) is waiting",
                            "changes of document \(name) are waiting")
                            + " for changes that haven't arrived", file(first), first, &findings)
                }
            } catch let error as DocumentStoreError where error.code == .notArrived {
                addMissing(error.message, file(first), first, &findings)
            } catch {
                findings.add(
                    "chunk", .error, file(first), of: first,
                    "document \(name) can't be read: "
                        + ((error as? DocumentStoreError)?.message ?? "\(error)"),
                    advice: "replace the file with a complete copy")
            }
        }
    }

    private func addMissing(
        _ problem: String, _ file: String, _ device: DeviceID?, _ findings: inout Findings
    ) {
        findings.add(
            "missing-changes", .warning, file, of: device, problem,
            advice: "wait for the files of all devices to arrive")
    }
}
