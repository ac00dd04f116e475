import Automerge
public import Foundation

extension UUID {
    /// Creates a UUID from an automerge-repo URL or identifier: base58check with or without the
    /// prefix `automerge:`, or a UUID as in older versions. Returns `nil` for other text, and for
    /// identifiers that don't have 16 bytes.
    public init?(automergeID text: String) {
        guard let uuid = DocumentID(text)?.uuid else { return nil }
        self = uuid
    }

    /// The automerge-repo identifier of the UUID, without the prefix `automerge:`.
    public var automergeID: String { DocumentID(self).text }
}
