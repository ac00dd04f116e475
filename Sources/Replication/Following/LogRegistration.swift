import Foundation
import Synchronization

/// A registration of the logs of one kind that a store of this process follows. While it exists,
/// ``StorePackage/destroy(_:withBlobs:)`` refuses to delete them.
final class LogRegistration: Sendable {
    private struct Key: Hashable {
        let path: String
        let kind: DatabaseKind

        init(_ kind: DatabaseKind, in package: StorePackage) {
            // The package may have been opened through a symbolic link.
            path = URL(fileURLWithPath: package.path).resolvingSymlinksInPath().path
            self.kind = kind
        }
    }

    private static let counts = Mutex<[Key: Int]>([:])
    private let key: Key

    init(_ kind: DatabaseKind, in package: StorePackage) {
        let key = Key(kind, in: package)
        self.key = key
        Self.counts.withLock { $0[key, default: 0] += 1 }
    }

    deinit {
        Self.counts.withLock { [key] counts in
            let left = (counts[key] ?? 1) - 1
            counts[key] = left == 0 ? nil : left
        }
    }

    static func exists(_ kind: DatabaseKind, in package: StorePackage) -> Bool {
        let key = Key(kind, in: package)
        return counts.withLock { $0[key] != nil }
    }
}
