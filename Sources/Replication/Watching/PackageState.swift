/// A snapshot of a package, for file systems that raise no events.
struct PackageState {
    private struct Device: Equatable {
        var stamps: [DatabaseKind: FileStamp?] = [:]
        var paths: [DatabaseKind: String] = [:]
        var findings: [SyncServiceFile] = []
    }

    private var devices: [DeviceID: Device] = [:]
    private var blobs: [Name: BlobFolder.Entry] = [:]

    /// Takes a snapshot.
    ///
    /// - Throws: ``ReplicationError``, `.notFound` if the package is missing.
    init(of package: StorePackage) throws(ReplicationError) {
        for folder in try package.devices() {
            var device = Device()
            device.findings = folder.findings
            for kind in folder.fileNames.keys {
                let path = folder.path(of: kind)
                device.paths[kind] = path
                // `nil` is the state of a file that can't be read.
                device.stamps.updateValue(try? FileStamp(ofFileAt: path), forKey: kind)
            }
            devices[folder.id] = device
        }
        for entry in (try? package.blobs.entries()) ?? [] { blobs[entry.path] = entry }
    }

    /// Records the differences from `earlier`.
    func differences(
        from earlier: PackageState, at now: ContinuousClock.Instant,
        into pending: inout PendingChange
    ) {
        for id in Set(devices.keys).union(earlier.devices.keys) {
            let (new, old) = (devices[id], earlier.devices[id])
            let isFresh = old?.stamps.values.contains { $0?.isFresh == true } ?? false
            guard new != old || isFresh else { continue }
            if new?.findings != old?.findings || new?.paths != old?.paths {
                pending.add(device: id, at: now)
            }
            for kind in Set((new?.stamps ?? [:]).keys).union((old?.stamps ?? [:]).keys) {
                let known = old?.stamps[kind]
                guard new?.stamps[kind] != known || known??.isFresh == true else { continue }
                guard let path = new?.paths[kind] ?? old?.paths[kind] else { continue }
                pending.add(DeviceFile(id, kind), path: path, at: now)
            }
        }
        for path in Set(blobs.keys).union(earlier.blobs.keys)
        where blobs[path] != earlier.blobs[path] {
            pending.add(blob: path.text, at: now)
        }
    }
}
