import DocumentSync
import Glibc
import NIOCore
import Synchronization

/// The open sockets of a server, including those that have not joined yet.
///
/// A socket costs a descriptor once it is accepted. If there are too many, the oldest socket that
/// has not joined is closed to make room. Sockets that are not WebSockets yet are closed first.
/// Peers join within milliseconds, so idle sockets don't prevent them from joining.
final class ConnectionLimiter: Sendable {
    private struct WaitingSocket {
        let address: String
        let channel: any Channel
        var isWebSocket = false
    }

    private struct State {
        var nextNumber = 0
        var count = 0
        /// The sockets that have not joined, by number. Numbers increase with time.
        var waiting: [Int: WaitingSocket] = [:]
    }

    private let state = Mutex(State())
    private let mostSockets: Int
    private let mostWaitingPerAddress: Int

    /// The number of descriptors reserved for files and the program's other sockets.
    private static let reserve = 96

    init(_ limits: SyncLimits) {
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        let room = Int(clamping: descriptors.rlim_cur) - Self.reserve
        mostSockets = max(8, min(limits.peers * 2 + 16, room))
        mostWaitingPerAddress = limits.waitingPeersPerAddress
    }

    /// Admits a socket and returns its number. At a limit, closes another socket that hasn't joined
    /// to make room. Returns `nil` if the limit is reached and all other sockets have joined.
    func admit(_ channel: any Channel) -> Int? {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let (number, displaced) = state.withLock { state -> (Int?, WaitingSocket?) in
            var displaced: Int?
            let sameAddress = state.waiting.filter { $0.value.address == address }
            if sameAddress.count >= mostWaitingPerAddress {
                displaced = Self.leastPromising(of: sameAddress)
            } else if state.count >= mostSockets {
                displaced = Self.leastPromising(of: state.waiting)
                if displaced == nil { return (nil, nil) }
            }
            let closed = displaced.flatMap { state.waiting.removeValue(forKey: $0) }
            state.nextNumber += 1
            state.count += 1
            state.waiting[state.nextNumber] = WaitingSocket(address: address, channel: channel)
            return (state.nextNumber, closed)
        }
        displaced?.channel.close(promise: nil)
        return number
    }

    /// Returns the oldest socket that has not become a WebSocket. If all sockets have, returns the
    /// oldest of all.
    private static func leastPromising(of sockets: [Int: WaitingSocket]) -> Int? {
        sockets.filter { !$0.value.isWebSocket }.keys.min() ?? sockets.keys.min()
    }

    /// Records that a socket has become a WebSocket.
    func noteWebSocket(_ number: Int) {
        state.withLock { $0.waiting[number]?.isWebSocket = true }
    }

    /// Records that a socket has joined, so that it is not closed to make room for another.
    func noteJoined(_ number: Int) {
        state.withLock { $0.waiting[number] = nil }
    }

    /// Records that a socket was closed. Call this method once per number.
    func remove(_ number: Int) {
        state.withLock { state in
            state.waiting[number] = nil
            state.count -= 1
        }
    }
}
