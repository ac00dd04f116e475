import Automerge
public import Foundation

extension UUID {
    /// The document of an automerge-repo URL or identifier: base58 with a checksum, `automerge:`
    /// before it or not, or a UUID as older ones are. `nil` for anything else, and for an
    /// identifier of other than 16 bytes.
    public init?(automergeID text: String) {
        guard let uuid = DocumentID(text)?.uuid else { return nil }
        self = uuid
    }

    /// This as an identifier of automerge-repo, without `automerge:` before it.
    public var automergeID: String { DocumentID(self).text }
}
