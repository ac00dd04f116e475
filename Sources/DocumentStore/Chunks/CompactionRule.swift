/// When the deltas of a document become one snapshot.
enum CompactionRule: Sendable {
    /// AutomergeStore's: when they would come to more than half of the snapshots.
    case halfOfSnapshots
    /// automerge-repo's: when they have come to as much as the snapshots, or the snapshots to less
    /// than a kibibyte.
    case asMuchAsSnapshots

    /// What is stored of a document, in bytes.
    struct Sizes {
        /// Chunks that a snapshot would replace.
        var snapshots = 0
        var deltas = 0
        /// The largest snapshot of somebody else, which cannot be replaced.
        var foreignSnapshot = 0
    }

    /// Whether a snapshot is written where a delta of `byteCount` bytes would be otherwise.
    func asksForSnapshot(_ sizes: Sizes, adding byteCount: Int) -> Bool {
        switch self {
        case .halfOfSnapshots:
            // A device that adds a line to another's document writes that line, no second snapshot
            // of all the rest.
            sizes.deltas + byteCount > max(sizes.snapshots, sizes.foreignSnapshot) / 2
        case .asMuchAsSnapshots:
            sizes.snapshots < 1_024 || sizes.deltas >= sizes.snapshots
        }
    }
}
