import Foundation
import Replication
import Synchronization

/// An in-memory chunk backing.
final class DocumentMemoryBacking: ChunkBacking {
    let readOnlyReason: String? = nil
    let ownDevice: DeviceID?
    let hasWorkspaces = true
    let compaction = CompactionRule.halfOfSnapshots
    private let state = Mutex<(last: Int64, contents: [ChunkKey: Data])>((0, [:]))

    init(device: DeviceID) { ownDevice = device }

    func read(isWoken: Bool) throws -> BackingRead { BackingRead() }

    func contents(of chunks: [ChunkRecord]) throws -> [ChunkKey: Data] {
        state.withLock { state in
            var found: [ChunkKey: Data] = [:]
            for chunk in chunks { found[chunk.key] = state.contents[chunk.key] }
            return found
        }
    }

    func write(_ writes: [BackingWrite], at timestamp: Timestamp) throws -> BackingRead {
        state.withLock { state in
            var read = BackingRead()
            let stamp = BackingRead.Stamp(timestamp: timestamp, device: ownDevice)
            for write in writes {
                switch write {
                case .workspace(let id, let name):
                    read.entries.append(.workspace(id, name: name, stamp))
                case .workspaceDeleted(let id): read.entries.append(.workspaceDeleted(id, stamp))
                case .chunk(let workspace, let document, let isSnapshot, let data, _, let actors):
                    state.last += 1
                    let key = ChunkKey.row(ownDevice, state.last)
                    state.contents[key] = data
                    read.entries.append(
                        .chunk(
                            ChunkRecord(
                                id: UUID().uuidString, document: document, workspace: workspace,
                                isSnapshot: isSnapshot, byteCount: data.count, device: ownDevice,
                                timestamp: timestamp, actors: actors, key: key)))
                case .chunksDeleted(let chunks, let document):
                    for key in chunks.map(\.key) {
                        state.contents[key] = nil
                        read.entries.append(.chunkDeleted(key, of: document))
                    }
                }
            }
            return read
        }
    }

    func watch(_ wake: @escaping @Sendable () -> Void) {}

    func close() { state.withLock { $0 = (0, [:]) } }
}
