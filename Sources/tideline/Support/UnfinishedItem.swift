import ArgumentParser
import Dispatch
import Foundation
import Glibc
import Synchronization

/// The file or folder that a command fills and then renames to the requested name.
enum UnfinishedItem {
    /// Runs `body`. On SIGINT and SIGTERM, deletes the item and exits. Signals that were
    /// ignored when the program started are still ignored.
    ///
    /// - Parameter body: Calls `willFill` with the item's path, then creates the item.
    static func run<Value>(
        _ body: (_ willFill: @escaping @Sendable (String) -> Void) async throws -> Value
    ) async throws -> Value {
        let path = Mutex<String?>(nil)
        let received = Atomic<CInt>(0)
        var sources: [any DispatchSourceSignal] = []
        for number in EndingSignals.handled {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                received.store(number, ordering: .relaxed)
                if let path = path.withLock({ $0 }) { delete(path) }
                _exit(128 + number)
            }
            // Create the item only after the handler is registered. Before that, no handler would
            // delete the item when a signal arrives.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.activate()
            }
            sources.append(source)
        }
        defer {
            for source in sources { source.cancel() }
            for number in EndingSignals.handled { signal(number, SIG_DFL) }
        }
        do {
            return try await body { item in path.withLock { $0 = item } }
        } catch {
            let number = received.load(ordering: .relaxed)
            guard number != 0 else { throw error }
            // The work failed because its item is being deleted. The process exits after that.
            try? await Task.sleep(for: .seconds(60))
            throw ExitCode(128 + number)
        }
    }

    /// Deletes a file or folder to which another thread writes.
    private static func delete(_ path: String) {
        // Fails for a folder.
        if unlink(path) == 0 { return }
        // After the rename, the other thread can no longer complete the item.
        let deleted = "\(path).deleted"
        guard rename(path, deleted) == 0 else { return }
        for _ in 0..<1_000 {
            try? FileManager.default.removeItem(atPath: deleted)
            var status = stat()
            if lstat(deleted, &status) != 0 { return }
        }
    }
}
