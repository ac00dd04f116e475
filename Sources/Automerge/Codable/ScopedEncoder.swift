/// The encoder passed to a value. It represents one place in the document.
final class ScopedEncoder: Encoder {
    let session: EncodingSession
    /// The place to write to, or `nil` for the root; an error if writing isn't possible.
    let place: Result<CodingPlace?, CodingKeyLookupError>
    let codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

    init(
        session: EncodingSession, place: Result<CodingPlace?, CodingKeyLookupError>,
        codingPath: [any CodingKey]
    ) {
        self.session = session
        self.place = place
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedEncoder<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedEncoder(encoder: self) }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoder(encoder: self)
    }

    /// Returns the map or list at this place. Creating a container can't throw, so the container
    /// keeps the error until a value is encoded into it.
    func object(_ type: ObjType) -> Result<ObjId, CodingKeyLookupError> {
        do {
            return .success(try session.container(type, in: place.get(), path: codingPath))
        } catch {
            return .failure(error)
        }
    }
}
