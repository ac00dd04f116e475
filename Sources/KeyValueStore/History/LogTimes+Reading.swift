import Dispatch
import Foundation
import Replication
import Synchronization

extension LogTimes {
    /// A log to read. If none of its rows are known, a tideline-2 log is read in several pieces
    /// concurrently. Any other log is read in order.
    final class Reading: Sendable {
        private let log: KeyValueStore.ReadableLog
        private let sign: Sign
        private let old: LogTimes?
        private let memory: MemoryLock
        private let found = Mutex<(rows: [ByKey], removals: Removals?)>(([], nil))
        private let outcome = Mutex<Result<LogTimes, any Error>?>(nil)

        init(
            _ log: KeyValueStore.ReadableLog, _ sign: Sign, _ old: LogTimes?, _ memory: MemoryLock
        ) {
            self.log = log
            self.sign = sign
            self.old = old
            self.memory = memory
        }

        /// Reads logs concurrently, one per processor.
        ///
        /// - Returns: The result for each log, or the error.
        static func run(
            _ readings: [Reading], _ memory: MemoryLock
        ) -> [(DeviceID, Result<LogTimes, any Error>)] {
            guard !readings.isEmpty else { return [] }
            // If there are fewer logs than processors, the logs are split by their keys.
            let wanted = 2 * ProcessInfo.processInfo.activeProcessorCount
            let parts = (wanted + readings.count - 1) / readings.count
            let ranges = KeyRange.all(in: parts, of: memory)
            let jobs = readings.flatMap { $0.jobs(ranges) }
            DispatchQueue.concurrentPerform(iterations: jobs.count) { jobs[$0]() }
            let rest = readings.filter { $0.outcome.withLock { $0 == nil } }
            DispatchQueue.concurrentPerform(iterations: rest.count) {
                rest[$0].finish(ranges.count)
            }
            return readings.compactMap { reading in
                reading.outcome.withLock { $0 }.map { (reading.log.device, $0) }
            }
        }

        private func jobs(_ ranges: [KeyRange]) -> [@Sendable () -> Void] {
            guard sign.format == .tideline2, old == nil else { return [{ self.readInOrder() }] }
            // If a part fails, the log is read again in order, which reports the error.
            let parts: [@Sendable () -> Void] = ranges.map { range in
                {
                    let rows = try? LogReader.read(self.log) {
                        try ByKey($0, self.memory, range, count: self.sign.rows / ranges.count)
                    }
                    guard let rows else { return }
                    self.found.withLock { $0.rows.append(rows) }
                }
            }
            return parts + [
                {
                    let removals = try? LogReader.read(self.log) { try Removals($0) }
                    self.found.withLock { $0.removals = removals }
                }
            ]
        }

        private func finish(_ parts: Int) {
            let (rows, removals) = found.withLock { $0 }
            guard rows.count == parts, let removals,
                let times = LogTimes(rows, removals, device: log.device, sign: sign)
            else { return readInOrder() }
            outcome.withLock { $0 = .success(times) }
        }

        private func readInOrder() {
            let result = Result {
                try LogReader.read(log) { try LogTimes(extending: old, to: sign, $0, memory) }
            }
            outcome.withLock { $0 = result }
        }
    }
}
