import Glibc

/// A mutex that can stay locked between calls.
///
/// It is a POSIX mutex because this library is tested with the thread sanitizer, which doesn't see
/// the slow path of `Synchronization.Mutex` in the standard library.
final class Lock: @unchecked Sendable {
    // A mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
}

/// A value that one thread at a time can use.
final class Locked<Value>: @unchecked Sendable {
    private let lock = Lock()
    // Protected by the lock.
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Replaces the value and returns the previous one.
    func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}

/// The locks of all objects. To save memory per object, all objects share 256 locks. The object's
/// address determines its lock.
///
/// No client code runs while one of these locks is held.
enum ObjectLocks {
    private static let locks = (0..<256).map { _ in Lock() }

    static func lock(of object: AnyObject) -> Lock {
        let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        return locks[Int((address >> 5 ^ address >> 13) & 255)]
    }
}
