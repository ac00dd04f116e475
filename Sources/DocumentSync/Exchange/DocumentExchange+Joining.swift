import Replication
import Synchronization

extension DocumentExchange {
    /// The maximum number of messages that a client may send before joining. They are ignored.
    private static let earlyMessages = 16

    /// Waits for the other side to join or to answer.
    ///
    /// - Throws: `SyncError`, for example with code `.timedOut`, `.unsupported` or `.peerFailed`.
    func join(
        _ connection: any MessageConnection, as side: Side
    ) async throws(SyncError) -> ConnectedPeer {
        let isLate = Flag()
        let deadline = scheduler.schedule(after: limits.joinTime) {
            isLate.set()
            connection.close(nil)
        }
        defer { deadline.cancel() }
        do throws(SyncError) {
            switch side {
            case .client: return try await joinServer(connection)
            case .server: return try await acceptClient(connection)
            }
        } catch {
            guard isLate.isSet else { throw error }
            throw SyncError(
                .timedOut,
                side == .client
                    ? "the server did not answer within \(limits.joinTime)"
                    : "the peer did not join within \(limits.joinTime)")
        }
    }

    private func joinServer(
        _ connection: any MessageConnection
    ) async throws(SyncError) -> ConnectedPeer {
        try await connection.send(
            PeerMessage.join(sender: peerID, metadata: metadata, versions: [PeerMessage.version])
                .encoded)
        for _ in 0..<Self.earlyMessages {
            switch try await firstMessage(of: connection) {
            case .peer(let sender, let metadata, let version, _):
                guard version == PeerMessage.version else {
                    throw SyncError(
                        .unsupported, "the server supports only version \(version.quoted)")
                }
                return try peer(sender, metadata, connection, isServer: true)
            case .error(let message): throw SyncError(.peerFailed, "the server reports: \(message)")
            default: break
            }
        }
        throw SyncError(
            .unsupported, "the server sent messages, but no answer to the join message")
    }

    private func acceptClient(
        _ connection: any MessageConnection
    ) async throws(SyncError) -> ConnectedPeer {
        for _ in 0..<Self.earlyMessages {
            guard
                case .join(let sender, let metadata, let versions) =
                    try await firstMessage(of: connection)
            else { continue }
            guard versions.isEmpty || versions.contains(PeerMessage.version) else {
                throw SyncError(.unsupported, "unsupported protocol version")
            }
            let peer = try peer(sender, metadata, connection, isServer: false)
            try await connection.send(
                PeerMessage.peer(
                    sender: peerID, metadata: self.metadata, version: PeerMessage.version,
                    target: sender
                ).encoded)
            return peer
        }
        throw SyncError(.unsupported, "the peer sent other messages instead of joining")
    }

    private func firstMessage(
        of connection: any MessageConnection
    ) async throws(SyncError) -> PeerMessage {
        guard let bytes = try await connection.receive(limit: limits.firstMessageBytes) else {
            throw SyncError(.disconnected, "the other side ended the connection")
        }
        return try PeerMessage(bytes)
    }

    private func peer(
        _ sender: PeerID, _ metadata: PeerMetadata, _ connection: any MessageConnection,
        isServer: Bool
    ) throws(SyncError) -> ConnectedPeer {
        guard sender != peerID else {
            throw SyncError(.replaced, "the other side has the same peer identifier as this side")
        }
        return ConnectedPeer(sender, metadata, connection, isServer: isServer)
    }
}

/// A flag that can be set once.
private final class Flag: Sendable {
    private let state = Atomic(false)
    var isSet: Bool { state.load(ordering: .acquiring) }
    func set() { state.store(true, ordering: .releasing) }
}
