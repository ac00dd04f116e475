import Glibc

/// The kernel's file events for a set of folders:
/// <https://man7.org/linux/man-pages/man7/inotify.7.html>.
///
/// All sets in a process share one ``InotifyInstance``, because the number of instances per user is
/// limited.
final class Inotify: Sendable {
    struct Event {
        let watch: Int32
        let mask: UInt32
        /// The affected entry of the watched folder; empty for the folder itself.
        let name: String

        func has(_ bits: Int32...) -> Bool {
            bits.contains { mask & UInt32(bitPattern: $0) != 0 }
        }
        var isFolder: Bool { has(Int32(IN_ISDIR)) }
    }

    private let instance: InotifyInstance
    private let subscriber: InotifyInstance.Subscriber

    /// Returns `nil` if events aren't available.
    init?(_ instance: InotifyInstance? = .shared) {
        guard let instance, let subscriber = instance.subscribe() else {
            return nil
        }
        self.instance = instance
        self.subscriber = subscriber
    }

    deinit { instance.unsubscribe(subscriber) }

    /// The descriptor, which `poll` reports as readable while events wait.
    var descriptor: Int32 { subscriber.descriptor }

    /// All events that change a folder's content, and chmod, which may grant access.
    static let contents =
        UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB) | itself
    /// New items in a folder, and its deletion.
    static let arrivals = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | itself
    /// The deletion of the folder itself.
    static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    /// Watches a folder. A symbolic link in its place is followed only if `followsLinks` is `true`.
    ///
    /// - Returns: The number of the watch, or `errno` negated.
    func add(_ path: String, _ mask: UInt32, followsLinks: Bool = false) -> Int32 {
        instance.add(path, mask, followsLinks: followsLinks, for: subscriber)
    }

    func remove(_ watch: Int32) { instance.remove(watch, of: subscriber) }

    /// Returns all waiting events without blocking.
    func events() -> [Event] { instance.events(of: subscriber) }
}
