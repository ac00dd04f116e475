public import Replication

extension KeyValueStore {
    /// A key on whose value devices disagree: rows of it that were written without knowledge of
    /// each other, and that no later row brought together.
    public struct Conflict: Sendable {
        /// The key that devices disagree on.
        @Name public private(set) var key: String
        /// The row that the dictionary shows: the one with the newest timestamp. Of a row that takes
        /// others back the one that it says again.
        public let winner: LogRow
        /// The other rows that nobody superseded, the newest first.
        public let others: [LogRow]
        /// The newest row that all of them build on; `nil` if there is none, or none that is here.
        public let base: LogRow?
        /// Whether the disagreement is only possible: the winner is a PARStore 1 row, which names
        /// one parent even where its writer knew more.
        public let isPossible: Bool
        /// Devices whose logs cannot be read now, and why. Their rows are missing in ``others``;
        /// a winner of theirs is what memory has of it, without number and causes.
        public let unread: [DeviceID: String]
        /// The devices, the winner's first; those included whose rows cannot be read now.
        public let devices: [DeviceID]
        /// All rows that nobody superseded, those included that cannot be read now.
        let heads: [LogRow.Reference]

        /// The rows of the sides: the winner, then the others, the newest first.
        public var rows: [LogRow] { [winner] + others }

        /// Those of ``others`` whose value is another than the winner's; the rest agrees with it.
        public var disagreeing: [LogRow] {
            let digest = winner.loadedValue.digest(ofRowAt: winner.timestamp.microseconds)
            return others.filter {
                $0.loadedValue.digest(ofRowAt: $0.timestamp.microseconds) != digest
            }
        }
    }
}
