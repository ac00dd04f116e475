public import Replication

extension KeyValueStore {
    /// A key with concurrent values from several devices: the writers had not seen each other's
    /// rows, and no later row has merged the values.
    public struct Conflict: Sendable {
        /// The key in conflict.
        @Name public private(set) var key: String
        /// The winner, whose value the dictionary shows: the row with the newest timestamp. If that
        /// row reverts others, the winner is the row whose value it restores.
        public let winner: LogRow
        /// The other rows that no row superseded, the newest first.
        public let others: [LogRow]
        /// The common ancestor: the newest row that all sides build on. `nil` if there is none or
        /// it isn't available.
        public let base: LogRow?
        /// Whether the conflict is uncertain, because the winner is a PARStore 1 row, which names
        /// one parent even if its writer had seen more.
        public let isPossible: Bool
        /// The devices whose logs can't be read now, with the reasons. Their rows are missing in
        /// ``others``. If ``winner`` is one of their rows, it has no number and no causal parents,
        /// because memory doesn't contain them.
        public let unread: [DeviceID: String]
        /// The devices, the winner's first, including those whose rows can't be read now.
        public let devices: [DeviceID]
        /// All rows that no row superseded, including those that can't be read now.
        let heads: [LogRow.Reference]

        /// The rows of the sides: the winner, then the others, the newest first.
        public var rows: [LogRow] { [winner] + others }
    }
}
