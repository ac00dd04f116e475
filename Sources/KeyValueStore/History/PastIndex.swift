import Replication
import Synchronization

/// An index of the key and time of each row in the logs, to reconstruct any past state without
/// reading the logs. It takes 12 bytes per row, plus 16 bytes per key for the last requested state,
/// from which the next one is derived.
///
/// The index lives as long as a list created from it. Each request adds new rows.
final class PastIndex: Sendable {
    /// The value of `Memory.generation` when the index was created. The index refers to keys by
    /// their numbers, which are valid only in this generation.
    let generation: Int

    private let logs = Mutex<[DeviceID: LogTimes]>([:])
    /// Logs that could not be read, until their state changes.
    private let unreadable = Mutex<[DeviceID: (sign: LogTimes.Sign, problem: String)]>([:])
    /// The winners as of the last requested instant.
    private let latest = Mutex<PastWinners?>(nil)
    /// Held by the thread that reads. Other threads wait for the result.
    private let reading = Mutex<Void>(())

    init(generation: Int) { self.generation = generation }

    /// Returns the known rows of all logs, in byte order of devices, and those that can't be read,
    /// with the reasons.
    ///
    /// - Complexity: O(*n*) in the rows that are new since the last call. All rows of a log are new
    ///   if it was replaced, or if it has PARStore 1's format and changed.
    func times(of store: KeyValueStore) -> (logs: [LogTimes], unread: [DeviceID: String]) {
        reading.withLock { _ in
            let signs = Dictionary(
                keepingFirst: store.devices.map { ($0.device, LogTimes.Sign($0)) })
            let known = logs.withLock { $0 }
            let left = unreadable.withLock { $0 }
            var times: [DeviceID: LogTimes] = [:]
            var failed: [DeviceID: String] = [:]
            var readings: [LogTimes.Reading] = []
            for log in store.readableLogs(nil, longest: store.configuration.longestValue) {
                guard let sign = signs[log.device] else { continue }
                if let left = left[log.device], left.sign == sign {
                    failed[log.device] = left.problem
                } else if let old = known[log.device], old.sign == sign {
                    times[log.device] = old
                } else {
                    readings.append(LogTimes.Reading(log, sign, known[log.device], store.memory))
                }
            }
            for (device, result) in LogTimes.Reading.run(readings, store.memory) {
                switch result {
                case .success(let read): times[device] = read
                case .failure(let error): failed[device] = "\(error)"
                }
            }
            logs.withLock { $0 = times }
            return (times.values.sorted { $0.device < $1.device }, failed)
        }
    }

    /// Returns the newest row of each key up to an instant.
    ///
    /// - Parameter count: The number of keys.
    /// - Complexity: O(*n*) in the number of rows. If the instant is later than in the previous
    ///   call, *n* is only the number of new rows and of rows between the two instants.
    func winners(through instant: Int64, of logs: [LogTimes], count: Int) -> [PastWinners.Winner] {
        latest.withLock { latest in
            if latest?.takeIn(logs, count: count) != true {
                latest = PastWinners(logs, count: count)
            }
            latest?.move(to: instant, in: logs)
            return latest?.winners ?? []
        }
    }

    /// Leaves out the given logs until their state changes, because some of their rows could not be
    /// read.
    func leaveOut(_ unread: [DeviceID: String]) {
        logs.withLock { logs in
            unreadable.withLock { unreadable in
                for (device, problem) in unread {
                    guard let log = logs.removeValue(forKey: device) else { continue }
                    unreadable[device] = (log.sign, problem)
                }
            }
        }
    }
}
