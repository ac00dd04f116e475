/// The encoder that a value is given: it stands for one place in the document.
final class ScopedEncoder: Encoder {
    let session: EncodingSession
    /// The place, `nil` for the root; or why there is none.
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

    /// The map or list in this place. A container cannot throw when it is made: it keeps the error
    /// for when something is encoded into it.
    func object(_ type: ObjType) -> Result<ObjId, CodingKeyLookupError> {
        do {
            return .success(try session.container(type, in: place.get(), path: codingPath))
        } catch {
            return .failure(error)
        }
    }
}
