import Foundation
import Glibc

/// The kernel's file events of some folders: <https://man7.org/linux/man-pages/man7/inotify.7.html>.
///
/// All in a process share one ``InotifyInstance``, as a user may have few of those.
struct Inotify: ~Copyable {
    struct Event {
        let watch: Int32
        let mask: UInt32
        /// The entry of the watched folder that it is about; empty for the folder itself.
        let name: String

        func has(_ bits: Int32...) -> Bool {
            bits.contains { mask & UInt32(bitPattern: $0) != 0 }
        }
        var isFolder: Bool { has(Int32(IN_ISDIR)) }
    }

    private let instance: InotifyInstance
    private let subscriber: InotifyInstance.Subscriber

    /// `nil` where the system gives no events.
    init?(_ instance: InotifyInstance? = .shared) {
        guard let instance, let subscriber = instance.subscribe() else {
            return nil
        }
        self.instance = instance
        self.subscriber = subscriber
    }

    deinit { instance.unsubscribe(subscriber) }

    /// Can be read from, in the sense of `poll`, while events wait.
    var descriptor: Int32 { subscriber.descriptor }

    /// Everything that makes a folder's content different, and chmod, which may open it.
    static let contents =
        UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB) | itself
    /// What comes into a folder, and its end.
    static let arrivals = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | itself
    /// The end of the folder itself.
    static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    /// Watches a folder, never through a symbolic link in its place.
    /// - Returns: The number of the watch, or `errno` negated.
    func add(_ path: String, _ mask: UInt32, followsLinks: Bool = false) -> Int32 {
        instance.add(path, mask, followsLinks: followsLinks, for: subscriber)
    }

    func remove(_ watch: Int32) { instance.remove(watch, of: subscriber) }

    /// All events that wait, without waiting for any.
    func events() -> [Event] { instance.events(of: subscriber) }
}
