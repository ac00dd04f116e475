public import Foundation

extension UUID {
    /// The 16 bytes of the UUID.
    package var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    /// Creates a UUID from 16 bytes. Returns `nil` for any other length.
    @inlinable
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
        self.init(uuid: uuid)
    }
}
