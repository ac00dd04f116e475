public import Foundation
public import Replication

/// The record of a chunk in a listing. A chunk is a snapshot of a document, or a delta with some of
/// its changes. Its bytes are read when the document is opened.
public struct ChunkRecord: Hashable, Sendable {
    /// The identifier of the chunk: a UUID, or in a storage folder of automerge-repo, `snapshot/`
    /// or `incremental/` and the file name.
    public let id: String
    /// The document that the chunk belongs to.
    public let document: UUID
    /// The workspace of that document.
    public let workspace: UUID
    /// Whether the chunk is a snapshot, from which a document can be opened. If not, its changes
    /// depend on changes in other chunks.
    public let isSnapshot: Bool
    /// The size of the chunk in bytes.
    public let byteCount: Int
    /// The device that wrote the chunk; `nil` if the store doesn't record devices.
    public let device: DeviceID?
    /// The time of the write; `nil` if unknown.
    public let timestamp: Timestamp?
    /// The actors of the device's own changes in this chunk and in the chunks that it replaced.
    /// Empty for chunks written by older programs and in other kinds of stores.
    var actors = ActorList()
    /// The location of the bytes in the store.
    let key: ChunkKey

    /// A text that changes when the bytes change, for example when a file has grown.
    var mark: String {
        switch key {
        case .row: id
        case .file: "\(byteCount)"
        }
    }
}

/// A key that identifies a chunk within its store.
enum ChunkKey: Hashable, Sendable {
    /// A row of a device's file, or of a database that doesn't belong to a device.
    case row(DeviceID?, Int64)
    /// A file in a storage folder.
    case file(document: UUID, isSnapshot: Bool, name: String)

    var device: DeviceID? {
        switch self {
        case .row(let device, _): device
        case .file: nil
        }
    }
}
