import DocumentStore
import Foundation
import Replication

/// Documents and their chunks.
extension Doctor {
    /// Opens each document of a package.
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

    /// Opens each document of a store.
    ///
    /// - Parameter file: The file that chunks of a device are in.
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
                // What is wrong with it is known while it is held.
                let problems = withExtendedLifetime(opened) { store.problems(of: document.id) }
                guard let problems else { continue }
                for (chunk, problem) in problems.damagedChunks.sorted(by: { $0.key < $1.key }) {
                    let device = chunks.first { $0.id == chunk }?.device
                    findings.add(
                        "chunk", .error, file(device), of: device,
                        "chunk \(chunk) of document \(name) is damaged and left out: \(problem)",
                        advice: "put a whole copy of the file in its place")
                }
                if !problems.missing.isEmpty {
                    addMissing(
                        (problems.waitingCount == 1
                            ? "1 change of document \(name) waits"
                            : "\(problems.waitingCount) changes of document \(name) wait")
                            + " for others that have not arrived", file(first), first, &findings)
                }
            } catch let error as DocumentStoreError where error.code == .notArrived {
                addMissing(error.message, file(first), first, &findings)
            } catch {
                findings.add(
                    "chunk", .error, file(first), of: first,
                    "document \(name) cannot be read: "
                        + ((error as? DocumentStoreError)?.message ?? "\(error)"),
                    advice: "put a whole copy of the file in its place")
            }
        }
    }

    private func addMissing(
        _ problem: String, _ file: String, _ device: DeviceID?, _ findings: inout Findings
    ) {
        findings.add(
            "missing-changes", .warning, file, of: device, problem,
            advice: "wait until the files of all devices have arrived")
    }
}
