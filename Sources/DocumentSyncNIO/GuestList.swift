import DocumentSync
import Glibc
import NIOCore
import Synchronization

/// The sockets of a server, and which of them have not joined yet.
///
/// A socket costs a descriptor from the moment it is accepted. Those that say nothing give way to
/// newer ones, the oldest first, so that they never keep a peer out: a peer joins within
/// milliseconds.
final class GuestList: Sendable {
    private struct Guest {
        let address: String
        let channel: any Channel
        var isWebSocket = false
    }

    private struct State {
        var nextNumber = 0
        var count = 0
        /// By number, which grows with time.
        var waiting: [Int: Guest] = [:]
    }

    private let state = Mutex(State())
    private let mostSockets: Int
    private let mostWaitingPerAddress: Int

    /// Descriptors that are left for files and the other sockets of the program.
    private static let reserve = 96

    init(_ limits: SyncLimits) {
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        let room = Int(clamping: descriptors.rlim_cur) - Self.reserve
        mostSockets = max(8, min(limits.peers * 2 + 16, room))
        mostWaitingPerAddress = limits.waitingPeersPerAddress
    }

    /// Makes room for a socket and returns its number; `nil` if all others belong to peers.
    func admit(_ channel: any Channel) -> Int? {
        let address = channel.remoteAddress?.ipAddress ?? ""
        let (number, displaced) = state.withLock { state -> (Int?, Guest?) in
            var displaced: Int?
            let sameAddress = state.waiting.filter { $0.value.address == address }
            if sameAddress.count >= mostWaitingPerAddress {
                displaced = Self.leastPromising(of: sameAddress)
            } else if state.count >= mostSockets {
                displaced = Self.leastPromising(of: state.waiting)
                if displaced == nil { return (nil, nil) }
            }
            let guest = displaced.flatMap { state.waiting.removeValue(forKey: $0) }
            state.nextNumber += 1
            state.count += 1
            state.waiting[state.nextNumber] = Guest(address: address, channel: channel)
            return (state.nextNumber, guest)
        }
        displaced?.channel.close(promise: nil)
        return number
    }

    /// The oldest of those that have said nothing, or the oldest of all.
    private static func leastPromising(of guests: [Int: Guest]) -> Int? {
        guests.filter { !$0.value.isWebSocket }.keys.min() ?? guests.keys.min()
    }

    /// Notes that a socket has become a WebSocket.
    func noteWebSocket(_ number: Int) {
        state.withLock { $0.waiting[number]?.isWebSocket = true }
    }

    /// Notes that a socket speaks the protocol, and keeps its place.
    func noteJoined(_ number: Int) {
        state.withLock { $0.waiting[number] = nil }
    }

    /// Notes that a socket was closed. Call it once for each number.
    func remove(_ number: Int) {
        state.withLock { state in
            state.waiting[number] = nil
            state.count -= 1
        }
    }
}
