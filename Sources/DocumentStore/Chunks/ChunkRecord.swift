public import Foundation
public import Replication

/// A chunk as a listing tells of it: a snapshot of a document, or a delta of some of its changes.
/// Its bytes are read when the document is opened.
public struct ChunkRecord: Hashable, Sendable {
    /// A UUID; in a storage folder of automerge-repo, `snapshot/` or `incremental/` and the file's
    /// name.
    public let id: String
    /// The document that it is a part of.
    public let document: UUID
    /// The workspace of that document.
    public let workspace: UUID
    /// Whether a document can be opened from it; otherwise it holds changes that build on others.
    public let isSnapshot: Bool
    /// How long it is.
    public let byteCount: Int
    /// Who wrote it; `nil` in stores that do not tell.
    public let device: DeviceID?
    /// When it was written; `nil` where that is not known.
    public let timestamp: Timestamp?
    /// As whom its device had edited the document, in this chunk and in those that it took the place
    /// of; not known of what older programs and other stores wrote.
    var actors = ActorList()
    /// Where the store finds its bytes.
    let key: ChunkKey

    /// What tells whether the bytes are still those that were read: a file may have grown.
    var mark: String {
        switch key {
        case .row: id
        case .file: "\(byteCount)"
        }
    }
}

/// What tells the chunks of a store apart.
enum ChunkKey: Hashable, Sendable {
    /// A row of a device's file, or of a database that is nobody's.
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
