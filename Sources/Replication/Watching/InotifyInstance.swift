import Foundation
import Glibc
import Synchronization

/// The process's shared queue of file events, with a filter for each subscriber.
///
/// The kernel has one watch per folder and queue. Its mask is the union of all subscribers' masks,
/// and each subscriber receives only the events that it requested.
final class InotifyInstance: Sendable {
    /// A subscriber to the events of the folders that it watches.
    struct Subscriber: Hashable, Sendable {
        fileprivate let number: Int
        fileprivate let signal: WakePipe
        /// The descriptor, which is readable while events wait.
        var descriptor: Int32 { signal.descriptor }

        static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }

        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    private struct State {
        var lastNumber = 0
        /// The mask of each subscriber for each watch.
        var watches: [Int32: [Subscriber: UInt32]] = [:]
        /// The events that each subscriber hasn't taken yet.
        var waiting: [Subscriber: [Inotify.Event]] = [:]
    }

    /// The shared instance, or `nil` if the system provides none. If there is none yet, each access
    /// tries again to create it.
    static var shared: InotifyInstance? {
        kept.withLock { kept in
            if kept == nil { kept = InotifyInstance() }
            return kept
        }
    }
    private static let kept = Mutex<InotifyInstance?>(nil)

    private let descriptor: Int32
    private let state = Mutex(State())
    /// The maximum number of waiting events. If there are more, an overflow event replaces them, as
    /// in the kernel.
    private static let waitingLimit = 8_192

    /// Creates an instance, which its thread keeps alive until the process ends.
    init?() {
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let thread = Thread { [self] in read() }
        thread.name = "tideline-events"
        thread.stackSize = 1 << 20
        thread.start()
    }

    // MARK: Subscribers

    func subscribe() -> Subscriber? {
        guard let signal = try? WakePipe() else { return nil }
        return state.withLock { state in
            state.lastNumber += 1
            let subscriber = Subscriber(number: state.lastNumber, signal: signal)
            state.waiting[subscriber] = []
            return subscriber
        }
    }

    func unsubscribe(_ subscriber: Subscriber) {
        state.withLock { state in
            state.waiting[subscriber] = nil
            for watch in Array(state.watches.keys) { remove(watch, of: subscriber, &state) }
        }
    }

    /// Returns and removes the waiting events of a subscriber.
    func events(of subscriber: Subscriber) -> [Inotify.Event] {
        state.withLock { state in
            subscriber.signal.rest()
            defer { state.waiting[subscriber] = [] }
            return state.waiting[subscriber] ?? []
        }
    }

    // MARK: Watches

    /// Watches a folder.
    ///
    /// - Returns: The number of the watch, or `errno` negated.
    func add(
        _ path: String, _ mask: UInt32, followsLinks: Bool, for subscriber: Subscriber
    ) -> Int32 {
        var flags = mask | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
        if !followsLinks { flags |= UInt32(IN_DONT_FOLLOW) }
        // Add the watch under the lock, so that an event is dispatched only after its subscriber is
        // registered.
        return state.withLock { state in
            let watch = inotify_add_watch(descriptor, path, flags)
            guard watch >= 0 else { return -errno }
            state.watches[watch, default: [:]][subscriber] = mask
            return watch
        }
    }

    func remove(_ watch: Int32, of subscriber: Subscriber) {
        state.withLock { remove(watch, of: subscriber, &$0) }
    }

    private func remove(_ watch: Int32, of subscriber: Subscriber, _ state: inout State) {
        guard state.watches[watch]?.removeValue(forKey: subscriber) != nil,
            state.watches[watch]?.isEmpty == true
        else { return }
        state.watches[watch] = nil
        inotify_rm_watch(descriptor, watch)
    }

    // MARK: Events

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            let events = buffer.withUnsafeBytes {
                Self.parse(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            state.withLock { state in
                for event in events { notify(event, &state) }
            }
        }
    }

    private func notify(_ event: Inotify.Event, _ state: inout State) {
        if event.has(Int32(IN_Q_OVERFLOW)) {
            for subscriber in Array(state.waiting.keys) { notify(event, subscriber, &state) }
            return
        }
        let isEnd = event.has(Int32(IN_IGNORED))
        for (subscriber, mask) in state.watches[event.watch] ?? [:]
        where isEnd || event.has(Int32(IN_UNMOUNT)) || event.mask & mask != 0 {
            notify(event, subscriber, &state)
        }
        if isEnd { state.watches[event.watch] = nil }
    }

    private func notify(
        _ event: Inotify.Event, _ subscriber: Subscriber, _ state: inout State
    ) {
        if let count = state.waiting[subscriber]?.count, count >= Self.waitingLimit {
            let overflow = UInt32(IN_Q_OVERFLOW)
            state.waiting[subscriber] = [Inotify.Event(watch: -1, mask: overflow, name: "")]
        } else {
            state.waiting[subscriber]?.append(event)
        }
        if state.waiting[subscriber]?.count == 1 { subscriber.signal.send() }
    }

    /// Parses events. Each consists of a watch, a mask, a cookie, a length (32 bits each), and a
    /// name of that length, padded with zeros.
    private static func parse(_ bytes: UnsafeRawBufferPointer) -> [Inotify.Event] {
        var events: [Inotify.Event] = []
        var offset = 0
        while offset + 16 <= bytes.count {
            let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            guard length <= bytes.count - offset - 16 else { break }
            let name = bytes[(offset + 16)..<(offset + 16 + length)].prefix { $0 != 0 }
            events.append(
                Inotify.Event(
                    watch: watch, mask: mask, name: String(decoding: name, as: UTF8.self)))
            offset += 16 + length
        }
        return events
    }
}
