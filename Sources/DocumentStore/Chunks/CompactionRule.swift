/// The rule for compacting the deltas of a document into one snapshot.
enum CompactionRule: Sendable {
    /// Compact if the deltas exceed half the size of the device's own snapshots, or of a larger
    /// snapshot of another device. AutomergeStore's rule is similar.
    case halfOfSnapshots
    /// The rule of automerge-repo: compact if the snapshots are smaller than 1 KiB, or not larger
    /// than the deltas.
    case asMuchAsSnapshots

    /// The sizes of the stored chunks of a document, in bytes.
    struct Sizes {
        /// The snapshots that a new snapshot would replace.
        var snapshots = 0
        var deltas = 0
        /// The largest snapshot of another device, which can't be replaced.
        var foreignSnapshot = 0
    }

    /// Returns whether to write a snapshot instead of a delta of `byteCount` bytes.
    func asksForSnapshot(_ sizes: Sizes, adding byteCount: Int) -> Bool {
        switch self {
        case .halfOfSnapshots:
            // A device that adds a line to another device's document writes only that line, not a
            // second snapshot of the whole document.
            sizes.deltas + byteCount > max(sizes.snapshots, sizes.foreignSnapshot) / 2
        case .asMuchAsSnapshots:
            sizes.snapshots < 1_024 || sizes.deltas >= sizes.snapshots
        }
    }
}
