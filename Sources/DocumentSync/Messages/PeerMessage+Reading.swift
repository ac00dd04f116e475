import Automerge
import Replication

extension PeerMessage {
    /// The maximum length of names of peers, stores and sessions.
    static let longestName = 512

    /// Decodes a message.
    ///
    /// - Throws: `SyncError` with code `.badMessage` if the bytes are not CBOR or not a map, or if
    ///   a required field is missing.
    package init(_ bytes: [UInt8]) throws(SyncError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue(bytes)
        } catch {
            throw SyncError(
                .badMessage, "a message is not CBOR: \(error.description)", cause: error)
        }
        let fields = try MessageFields(value)
        switch fields.type {
        case "join":
            self = .join(
                sender: try fields.peer("senderId"), metadata: fields.metadata,
                versions: try fields.versions)
        case "peer":
            self = .peer(
                sender: try fields.peer("senderId"), metadata: fields.metadata,
                version: try fields.optionalName("selectedProtocolVersion") ?? Self.version,
                target: try fields.peer("targetId"))
        case "error": self = .error(fields.shownText("message") ?? "no reason given")
        case "leave": self = .leave(sender: try fields.peer("senderId"))
        case "sync": self = .sync(try fields.documentMessage)
        case "request": self = .request(try fields.documentMessage)
        case "doc-unavailable":
            self = .unavailable(
                document: try fields.document, sender: try fields.peer("senderId"),
                target: try fields.peer("targetId"))
        case "ephemeral": self = .ephemeral(try fields.ephemeralMessage)
        default: self = .other(type: fields.type)
        }
    }
}

/// The fields of a message's map, read by their types.
private struct MessageFields {
    private let value: CBORValue
    let type: String

    init(_ value: CBORValue) throws(SyncError) {
        // This tag only marks a value as CBOR.
        var value = value
        while case .tagged(55799, let content) = value { value = content }
        guard case .map = value else { throw SyncError(.badMessage, "a message is not a map") }
        guard let type = value.member("type")?.text, type.utf8.count <= PeerMessage.longestName
        else { throw SyncError(.badMessage, "the type of a message is missing or too long") }
        self.value = value
        self.type = type
    }

    private func bad(_ field: StaticString, _ problem: String) -> SyncError {
        SyncError(.badMessage, "in a message \(type.quoted), \(field) \(problem)")
    }

    private func field(_ name: StaticString) throws(SyncError) -> CBORValue {
        guard let field = value.member(name), !field.isAbsent else {
            throw bad(name, "is missing")
        }
        return field
    }

    func optionalName(_ name: StaticString) throws(SyncError) -> String? {
        guard let field = value.member(name), !field.isAbsent else { return nil }
        guard let text = field.text else { throw bad(name, "is not a text") }
        guard text.utf8.count <= PeerMessage.longestName else {
            throw bad(name, "is longer than \(PeerMessage.longestName) bytes")
        }
        return text
    }

    private func name(_ name: StaticString) throws(SyncError) -> String {
        guard let text = try optionalName(name) else { throw bad(name, "is missing") }
        return text
    }

    func peer(_ name: StaticString) throws(SyncError) -> PeerID { PeerID(try self.name(name)) }

    /// Returns a text to display, shortened if it is long.
    func shownText(_ name: StaticString) -> String? {
        (value.member(name)?.text).map { String($0.prefix(PeerMessage.longestName)) }
    }

    /// The documentation and some programs use `metadata` instead.
    var metadata: PeerMetadata {
        let map = value.member("peerMetadata") ?? value.member("metadata")
        let storage = map?.member("storageId")?.text.flatMap {
            $0.utf8.count <= PeerMessage.longestName ? $0 : nil
        }
        return PeerMetadata(storageID: storage, isEphemeral: map?.member("isEphemeral")?.boolean)
    }

    /// The versions that a client supports. A client that lists none supports the first version.
    var versions: [String] {
        get throws(SyncError) {
            guard let field = value.member("supportedProtocolVersions"), !field.isAbsent else {
                return [PeerMessage.version]
            }
            // An old program sends its only version as a text.
            if let text = field.text { return [text] }
            guard let elements = field.elements else {
                throw bad("supportedProtocolVersions", "is not an array of texts")
            }
            return elements.prefix(16).compactMap(\.text)
        }
    }

    var document: DocumentID {
        get throws(SyncError) {
            guard let id = DocumentID(try name("documentId")) else {
                throw bad("documentId", "is not a document's identifier")
            }
            return id
        }
    }

    private func data() throws(SyncError) -> ArraySlice<UInt8> {
        guard let bytes = try field("data").byteString else { throw bad("data", "is not bytes") }
        guard !bytes.isEmpty else { throw bad("data", "is empty") }
        return bytes
    }

    var documentMessage: PeerMessage.DocumentMessage {
        get throws(SyncError) {
            PeerMessage.DocumentMessage(
                document: try document, sender: try peer("senderId"),
                target: try peer("targetId"), data: try data())
        }
    }

    var ephemeralMessage: PeerMessage.EphemeralMessage {
        get throws(SyncError) {
            guard let count = try field("count").count else {
                throw bad("count", "is not a whole number")
            }
            return PeerMessage.EphemeralMessage(
                document: try document, sender: try peer("senderId"),
                target: try peer("targetId"), session: try name("sessionId"), count: count,
                data: try data())
        }
    }
}
